import { rmSync, writeFileSync } from "node:fs";
import type { Envelope } from "../kernel/envelope.ts";
import type { Cli } from "./command.ts";
import { Failure } from "./failure.ts";
import type { Result } from "./output.ts";
import { note, recordResult } from "./results.ts";

const SHOWN = ["id", "email", "name", "role", "scopes", "createdAt", "expiresAt", "url", "types", "state"];

/** Makes a secret and shows it this once, or puts it into a new file (`--to`) and shows it nowhere. */
export async function handOver<T extends Readonly<Record<S, string>>, S extends string>(
  cli: Cli,
  secretMember: S,
  make: () => Promise<Envelope<T>>,
  recordIn: (data: T) => object,
): Promise<Result> {
  const file = cli.given.option("to");
  const envelope = file === undefined ? await make() : await reserved(file, make);
  const record = { ...recordIn(envelope.data) };
  const secret = envelope.data[secretMember];
  const facts = Object.entries(record).filter(([name]) => SHOWN.includes(name));
  const shown = SHOWN.flatMap((name) => facts.filter(([known]) => known === name));
  if (file === undefined) {
    const kept = note("It is shown this once. Keep it where only its user can read it.");
    return recordResult(envelope, record, [...shown, [secretMember, secret]], [kept]);
  }
  writeFileSync(file, `${secret}\n`);
  const data = { ...envelope.data, [secretMember]: { $redacted: `written to ${file}` } };
  return recordResult({ ok: true, data }, record, [...shown, [`${secretMember} in`, file]]);
}

/** The file must be new, and that is found out before the secret is made; without a secret it goes away again. */
async function reserved<T>(file: string, make: () => Promise<T>): Promise<T> {
  try {
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch {
    throw new Failure("conflict", `${file} cannot be made, or exists already; it was left untouched.`);
  }
  try {
    return await make();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
