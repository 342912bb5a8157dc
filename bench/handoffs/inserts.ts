import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { packets } from "./packets.ts";

/*
 * The anchor: bare durable inserts of the same packets, nothing else. WAL and synchronous FULL, as the service's own
 * store; `group` inserts share a commit.
 *   node inserts.ts <folder> <group> <milliseconds>
 */

const [folder = ".", group = "1", milliseconds = "1000"] = process.argv.slice(2);
const database = new DatabaseSync(join(folder, `bare-${group}.db`));
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
database.exec("CREATE TABLE handoffs (id TEXT PRIMARY KEY, packet TEXT NOT NULL)");
const insert = database.prepare("INSERT INTO handoffs (id, packet) VALUES (?, ?)");
const next = packets();
const began = performance.now();
const until = began + Number(milliseconds);
let count = 0;
while (performance.now() < until) {
  database.exec("BEGIN IMMEDIATE");
  for (let i = 0; i < Number(group); i++) {
    const packet = next();
    insert.run(packet.id, JSON.stringify(packet));
    count++;
  }
  database.exec("COMMIT");
}
process.stdout.write(`${JSON.stringify({ count, ms: performance.now() - began })}\n`);
