import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FREE_LICENCES, INSTALL_SCRIPT_SCOPE, INSTALL_SCRIPTS, PACKAGE_REASONS } from "./packages.ts";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  /** Comes inside another package, whose digest covers it. */
  readonly inBundle?: boolean;
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync("package-lock.json", "utf8"),
);
const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const installed = Object.entries(lock.packages).flatMap(([path, entry]) => {
  const at = path.lastIndexOf("node_modules/");
  return at === -1 || entry.link === true
    ? []
    : [{ name: path.slice(at + "node_modules/".length), ...entry }];
});

test("no package runs a script at its installation, but the named ones", () => {
  const others = installed
    .filter(({ hasInstallScript }) => hasInstallScript === true)
    .map(({ name }) => name)
    .filter((name) => !INSTALL_SCRIPTS.includes(name) && !name.startsWith(INSTALL_SCRIPT_SCOPE));
  assert.deepEqual(others, []);
});

test("every runtime package has a reason and a free licence", () => {
  assert.deepEqual(Object.keys(manifest.dependencies).toSorted(), Object.keys(PACKAGE_REASONS).toSorted());
  const unfree = installed
    .filter(({ dev }) => dev !== true)
    .filter(({ license }) => license === undefined || !FREE_LICENCES.includes(license))
    .map(({ name, license }) => `${name} (${license ?? "none"})`);
  assert.deepEqual(unfree, []);
});

test("every package is locked to one version with a digest, every dependency to an exact one", () => {
  const loose = installed.filter(
    ({ version, integrity, inBundle }) =>
      inBundle !== true && (version === undefined || integrity === undefined),
  );
  assert.deepEqual(
    loose.map(({ name }) => name),
    [],
  );
  for (const [name, version] of Object.entries(manifest.dependencies))
    assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
});
