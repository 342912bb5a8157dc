import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import process from "node:process";
import { ROOMS, type Room } from "./floors.ts";

/*
 * Enforces scripts/floors.ts: no folder of src/ imports from a floor that is not below it. app.ts, main.ts and
 * config.ts wire the house and may see everything; nobody may import them. Tests may reach where they like.
 */

const WIRING = new Set(["app", "main", "config"]);
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["'](\.{1,2}\/[^"']+)["']/g;

/** One import that the floors forbid, or a folder that no floor names. */
interface Violation {
  readonly file: string;
  readonly message: string;
}

/** The room a path under src/ belongs to: its folder, or its own name when it stands right under src/. */
function roomOf(path: string): string {
  const [first = ""] = path.replace(/^src\//, "").split("/");
  return first.replace(/\.ts$/, "");
}

function violationsIn(file: string, source: string, rooms: ReadonlyMap<string, Room>): Violation[] {
  const from = roomOf(file);
  if (WIRING.has(from)) return [];
  const room = rooms.get(from);
  if (!room) return [{ file, message: `src/${from} is not in scripts/floors.ts` }];
  const found: Violation[] = [];
  for (const [, specifier = ""] of source.matchAll(IMPORT)) {
    const target = posix.join(posix.dirname(file), specifier);
    if (!target.startsWith("src/")) {
      found.push({ file, message: `imports ${target}, which is outside src/` });
      continue;
    }
    const to = roomOf(target);
    if (to !== from && !room.imports.includes(to)) {
      found.push({ file, message: `imports ${target}: ${from} may not import from ${to}` });
    }
  }
  return found;
}

const rooms = new Map(ROOMS.map((room) => [room.name, room]));

// The canary: if this import were let through, the check would be blind.
const canary = violationsIn("src/kernel/canary.ts", 'import { x } from "../gateway/server.ts";', rooms);
if (canary.length !== 1) {
  console.error("The import check no longer sees a forbidden import (its canary was let through).");
  process.exit(1);
}

const files = globSync("src/**/*.ts").filter((file) => !/\.(test|testsuite)\.ts$/.test(file));
const violations = files.flatMap((file) => violationsIn(file, readFileSync(file, "utf8"), rooms));
for (const { file, message } of violations) console.error(`${file} ${message}`);
if (violations.length > 0) process.exit(1);
console.log(`${files.length} files keep to the floors.`);
