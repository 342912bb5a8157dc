import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/*
 * Loaded into the service before it starts: while the file of EFFECTS_FULL exists, its disk is full for every SQLite
 * transaction, as seen by the service. A lock of another process would stop its one thread instead.
 */
const flag = process.env["EFFECTS_FULL"] ?? "";
// oxlint-disable-next-line typescript/unbound-method -- it is called with its own object below
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function full(this: DatabaseSync, sql: string): void {
  if (/^\s*(?:BEGIN IMMEDIATE|COMMIT)/i.test(sql) && existsSync(flag)) {
    throw Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
  }
  exec.call(this, sql);
};
