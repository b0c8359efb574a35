-- A journal of format 4, as its own version wrote it.
BEGIN TRANSACTION;
CREATE TABLE deliveries (
            n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, state TEXT NOT NULL,
            task_ids BLOB NOT NULL);
INSERT INTO "deliveries" VALUES(1,'d1',1776000000800,'delivered',CAST('["00000001-0000-4000-8000-000000000000"]' AS BLOB));
CREATE TABLE events (
            task_id TEXT NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (task_id, seq)) WITHOUT ROWID;
INSERT INTO "events" VALUES('00000001-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000001-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000002-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000002-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000003-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000003-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000004-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000004-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000005-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000005-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000006-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000006-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
INSERT INTO "events" VALUES('00000007-0000-4000-8000-000000000000',1,CAST('{"seq":1,"ts":1776000000000,"type":"state","status":"running"}' AS BLOB));
INSERT INTO "events" VALUES('00000007-0000-4000-8000-000000000000',2,CAST('{"seq":2,"ts":1776000000001,"type":"message","text":"Hello"}' AS BLOB));
CREATE TABLE permissions (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL);
INSERT INTO "permissions" VALUES(1,'p1',CAST('{"id":"p1","subagentName":"reviewer","workspaceDir":"/project","toolKind":"execute","decision":"allow","title":"make","rememberedAt":1776000000000}' AS BLOB));
CREATE TABLE removals (
            n INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, has_events INTEGER NOT NULL);
INSERT INTO "removals" VALUES(7,'00000007-0000-4000-8000-000000000000',1);
CREATE TABLE runs (
            n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, ordered_at INTEGER NOT NULL,
            completed_at INTEGER, sync INTEGER NOT NULL, wants_notice INTEGER NOT NULL, notified_at INTEGER,
            body BLOB NOT NULL, transcript_open INTEGER NOT NULL DEFAULT 0);
INSERT INTO "runs" VALUES(1,'00000001-0000-4000-8000-000000000000','completed',1776000000001,1776000000501,0,0,1776000000900,CAST('{"task":{"id":"00000001-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"completed","launchedAt":1776000000001,"completedAt":1776000000501,"output":{"terminate_reason":"GOAL","emitted_vars":{},"final_message":"done"},"endReason":"goal","progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000001},"runner":"shell","workspaceDir":"/project"},"origin":"model","request":{"goalPrompt":"Review it"}}' AS BLOB),0);
INSERT INTO "runs" VALUES(2,'00000002-0000-4000-8000-000000000000','failed',1776000000002,1776000000502,0,0,NULL,CAST('{"task":{"id":"00000002-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"failed","launchedAt":1776000000002,"completedAt":1776000000502,"progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000002},"runner":"shell","workspaceDir":"/project"},"origin":"model","request":{"goalPrompt":"Review it"}}' AS BLOB),0);
INSERT INTO "runs" VALUES(3,'00000003-0000-4000-8000-000000000000','cancelled',1776000000003,1776000000503,0,0,NULL,CAST('{"task":{"id":"00000003-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"cancelled","launchedAt":1776000000003,"completedAt":1776000000503,"progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000003},"runner":"shell","workspaceDir":"/project"},"origin":"model","request":{"goalPrompt":"Review it"}}' AS BLOB),0);
INSERT INTO "runs" VALUES(4,'00000004-0000-4000-8000-000000000000','completed',1776000000004,1776000000504,1,0,NULL,CAST('{"task":{"id":"00000004-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"completed","launchedAt":1776000000004,"completedAt":1776000000504,"output":{"terminate_reason":"GOAL","emitted_vars":{},"final_message":"done"},"endReason":"goal","progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000004},"runner":"shell","workspaceDir":"/project"},"origin":"model","sync":true,"request":{"goalPrompt":"Review it"}}' AS BLOB),0);
INSERT INTO "runs" VALUES(5,'00000005-0000-4000-8000-000000000000','running',1776000000005,NULL,0,0,NULL,CAST('{"task":{"id":"00000005-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"running","launchedAt":1776000000005,"progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000005},"runner":"shell","workspaceDir":"/project"},"origin":"model","request":{"goalPrompt":"Review it"}}' AS BLOB),0);
INSERT INTO "runs" VALUES(6,'00000006-0000-4000-8000-000000000000','queued',1776000000006,NULL,0,0,NULL,CAST('{"task":{"id":"00000006-0000-4000-8000-000000000000","subagentName":"reviewer","goalPrompt":"Review it","status":"queued","queuedAt":1776000000006,"progress":{"turns":0,"toolCalls":0,"lastActivityAt":1776000000006},"runner":"shell","workspaceDir":"/project"},"origin":"model","request":{"goalPrompt":"Review it"}}' AS BLOB),0);
CREATE INDEX runs_by_order ON runs (ordered_at, n);
CREATE INDEX runs_by_status ON runs (status, ordered_at, n);
CREATE INDEX runs_untold ON runs (completed_at) WHERE notified_at IS NULL;
CREATE INDEX runs_transcript_open ON runs (n) WHERE transcript_open;
CREATE INDEX removals_with_events ON removals (n) WHERE has_events;
COMMIT;
PRAGMA application_id = 1397965642;
PRAGMA user_version = 4;
