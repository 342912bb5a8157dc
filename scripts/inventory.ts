import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

/* What is inside of the npm package: an SBOM, and the licences that go with it. */

/** A package whose code is in ours. */
interface Part {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly folder: string;
}

/** Licences under which code may be in ours; one that is not here stops the package until a person has read it. */
const ALLOWED = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "Unlicense",
];

/** The packages that these modules (paths from the root) belong to; fails where a licence is not allowed. */
export function partsOf(modules: readonly string[]): readonly Part[] {
  const folders = new Set(
    modules.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const parts = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const licence = String(manifest.license?.type ?? manifest.license);
    return { name: String(manifest.name), version: String(manifest.version), licence, folder };
  });
  const refused = parts.filter(({ licence }) => !ALLOWED.includes(licence));
  if (refused.length > 0) {
    const names = refused.map(({ name, licence }) => `${name} (${licence})`);
    throw new Error(`These licences are not in scripts/inventory.ts: ${names.join(", ")}`);
  }
  // The same package may lie in two places.
  const byId = new Map(parts.map((part) => [`${part.name}@${part.version}`, part]));
  return [...byId].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}

/** The parts as a CycloneDX document. */
export function renderSbom(
  { name, version, license }: { readonly name: string; readonly version: string; readonly license: string },
  parts: readonly Part[],
): string {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const component = (type: string, id: string, its: string, licence: string): object => ({
    type,
    "bom-ref": purl(id, its),
    name: id,
    version: its,
    purl: purl(id, its),
    licenses: [{ license: { id: licence } }],
  });
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", name, version, license) },
    components: parts.map((part) => {
      const [algorithm, digest] = String(lock[part.folder]?.integrity ?? "").split("-");
      const content = Buffer.from(digest ?? "", "base64").toString("hex");
      return {
        ...component("library", part.name, part.version, part.licence),
        ...(algorithm === "sha512" && { hashes: [{ alg: "SHA-512", content }] }),
      };
    }),
    dependencies: [
      { ref: purl(name, version), dependsOn: parts.map((part) => purl(part.name, part.version)) },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The texts of the parts' licences, which their owners want to travel along. */
export function renderNotices(parts: readonly Part[]): string {
  return parts
    .map(({ name, version, licence, folder }) => {
      const [file] = globSync(`${folder}/{LICENSE,LICENCE,license,License,COPYING}*`).toSorted();
      const text = file !== undefined && existsSync(file) ? readFileSync(file, "utf8").trim() : "";
      return `${name} ${version}, ${licence}\n\n${text}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
