import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "./store.samples.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

it("a disk that fails to flush confirms nothing, loses nothing, and is used again when it is well", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-fsync-"));
  const library = join(folder, "failing-fsync.so");
  const marker = join(folder, "fail");
  const file = join(folder, "test.db");
  try {
    const built = spawnSync("cc", ["-shared", "-fPIC", "-o", library, here("failing-fsync.c"), "-ldl"]);
    // Without a compiler the same path of the code is seen with a full disk, in group-commit.test.ts.
    if (built.status !== 0) return t.skip("no C compiler (cc) to build a failing disk with");
    const child = spawn(process.execPath, [here("fsync-child.ts"), file], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, LD_PRELOAD: library, FAIL_FSYNC: marker },
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const write = async (name: string): Promise<unknown> => {
      child.stdin.write(`${name}\n`);
      return (await answers.next()).value;
    };
    assert.equal((await answers.next()).value, "open");
    assert.equal(await write("before"), "kept before");
    writeFileSync(marker, "");
    for (const name of ["while1", "while2", "while3"]) {
      assert.equal(await write(name), `storage_unavailable ${name}`);
    }
    rmSync(marker);
    assert.equal(await write("after"), "kept after");
    child.kill("SIGKILL");
    const store = await openStore(`sqlite:${file}`, quiet);
    for (const name of ["before", "after"])
      assert.notEqual(await store.read.idempotency.get("f", name), null);
    await store.close();
    assert.deepEqual((await checkDatabase(`sqlite:${file}`)).problems, []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
