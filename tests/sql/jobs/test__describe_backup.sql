BEGIN;
SELECT plan(2);

SELECT is(
    jobs._describe_backup(
        '{"id": 1, "actor": 2, "created_at": 3, "finished_at": 4, "state": "succeeded", "result":
          {"archive": 5, "bytes": 6, "pages": 7, "sha256": 8}}', timestamptz '2026-03-01 12:00:00+02'),
    '{"job_id": 1, "actor": 2, "created_at": 3, "finished_at": 4, "archive": 5, "bytes": 6, "pages": 7, "sha256": 8,
      "deleted_at": "2026-03-01T10:00:00.000000Z"}', 'a backup of a snapshot');
SELECT is(jobs._describe_backup('{}', NULL) -> 'deleted_at', 'null', 'whose archive may still be there');

SELECT * FROM finish();
ROLLBACK;
