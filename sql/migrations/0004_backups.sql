-- depends: 0003_jobs
-- Backups: their kind, how long one may read, and which archives are gone.

INSERT INTO jobs_store.setting (name, value, minimum, maximum, description) VALUES
    ('MaxBackupSeconds', 3600, 60, 1000000, 'seconds a backup may hold its consistent read open');

INSERT INTO jobs_store.kind (name, itemised) VALUES ('backup', false);

CREATE TABLE jobs_store.archive_deletion (
    job_id uuid NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT archive_deletion_is_unique PRIMARY KEY (job_id),
    CONSTRAINT archive_deletion_of_job FOREIGN KEY (job_id) REFERENCES jobs_store.job (id)
);
COMMENT ON TABLE jobs_store.archive_deletion IS
    'The backups whose archive the operator deleted; the job and its result stay.';
