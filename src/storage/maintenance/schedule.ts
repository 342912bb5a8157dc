import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { startLoop } from "../../kernel/loop.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { BackupSettings } from "../../ports/settings.ts";
import { backupDatabase } from "./backup.ts";

/** Timers of Node hold 24 days at most, and the clock can be moved. */
const LOOK_EVERY_MS = 60_000;
const NAME = /^workflow-ui-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.(?:db|rows)$/;

/** Backups on a schedule. */
export interface Backups {
  /** When the newest good one was begun, in milliseconds since the epoch; null before the first. */
  readonly lastAt: number | null;
  /** The newest attempt failed. */
  readonly failed: boolean;
  close(): Promise<void>;
}

/** Copies the database into a folder whenever the newest copy there is old enough, and removes the oldest copies. */
export function startBackups(databaseUrl: string, settings: BackupSettings, clock: Clock, log: Log): Backups {
  const { folder, everyMs, kept } = settings;
  let lastAt: number | null = null;
  let failed = false;

  async function work(): Promise<boolean> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      lastAt = (await copiesIn(folder)).at(-1)?.at ?? null;
      const now = clock.now();
      if (lastAt !== null && now - lastAt < everyMs) return false;
      const name = `workflow-ui-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
      const file = join(folder, `${name}.${databaseUrl.startsWith("sqlite:") ? "db" : "rows"}`);
      await backupDatabase(databaseUrl, file);
      lastAt = now;
      failed = false;
      log.info("store.backed_up", { file, durationMs: clock.now() - now });
      for (const old of (await copiesIn(folder)).slice(0, -kept)) await rm(join(folder, old.name));
    } catch (error) {
      failed = true;
      log.error("store.backup_failed", { file: folder }, error);
    }
    return false;
  }

  const loop = startLoop({ everyMs: LOOK_EVERY_MS, work, failed: () => undefined });
  loop.wake();
  return {
    get lastAt() {
      return lastAt;
    },
    get failed() {
      return failed;
    },
    close: () => loop.close(),
  };
}

/** The copies that the schedule has made, oldest first. */
async function copiesIn(folder: string): Promise<readonly { readonly name: string; readonly at: number }[]> {
  const copies = (await readdir(folder)).flatMap((name) => {
    const [found, day, hour, minute, second] = NAME.exec(name) ?? [];
    return found === undefined ? [] : [{ name, at: Date.parse(`${day}T${hour}:${minute}:${second}Z`) }];
  });
  return copies.toSorted((a, b) => a.at - b.at);
}
