// The one rule about versions: an older snapshot is never shown over a newer one.

/** The newest known snapshot of one job. */
export class Latest {
    #snapshot;
    #lower = null;

    constructor(snapshot) {
        this.#snapshot = snapshot;
    }

    get snapshot() {
        return this.#snapshot;
    }

    /** True after a poll gave a lower version: the next polls must be unconditional to settle it. */
    get disputed() {
        return this.#lower !== null;
    }

    /**
     * Takes a snapshot unless it is older. A database that was restored or failed over may really be at a
     * lower version: that is believed once two unconditional polls in a row agree on it.
     *
     * @param {object} snapshot
     * @param {'event'|'conditional'|'unconditional'} origin How it was learnt.
     * @returns {boolean} Whether it is now the snapshot to show.
     */
    offer(snapshot, origin = 'event') {
        if (
            snapshot.version >= this.#snapshot.version ||
            (origin === 'unconditional' && this.#lower === snapshot.version)
        ) {
            this.#snapshot = snapshot;
            this.#lower = null;
            return true;
        }
        if (origin === 'unconditional') {
            this.#lower = snapshot.version;
        } else if (origin === 'conditional') {
            // Seen, but it does not count as one of the two.
            this.#lower = -1;
        }
        return false;
    }
}
