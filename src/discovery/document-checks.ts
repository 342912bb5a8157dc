import { isObject } from "../kernel/json.ts";
import { TRUST_POLICY_LINE } from "../policy/texts.ts";
import type { Services } from "../ports/services.ts";
import type { DocumentKey } from "./locations.ts";

type Source = Pick<Services, "site" | "catalog" | "workers">;

/** What a document must hold, and how to tell what it lacks. */
export interface DocumentCheck {
  readonly expected: string;
  problems(body: string, source: Source): readonly string[] | Promise<readonly string[]>;
}

const manifest: DocumentCheck = {
  expected: "the web manifest with the registry's counts",
  problems: (body, source) =>
    ofObject(body, (value) => [
      ...need(value, ["name", "version", "endpoints", "discovery", "access"]),
      ...(isObject(value["counts"]) && value["counts"]["tools"] === source.catalog.tools.length
        ? []
        : ["the counts are not the registry's"]),
    ]),
};

const serverCard: DocumentCheck = {
  expected: "the endpoint and the protocol versions",
  problems: (body) =>
    ofObject(body, (value) => {
      const [remote] = Array.isArray(value["remotes"]) ? value["remotes"] : [];
      return [
        ...need(value, ["$schema", "name", "version", "description"]),
        ...(isObject(remote) && String(remote["url"]).endsWith("/api/mcp")
          ? []
          : ["no remote at the endpoint"]),
      ];
    }),
};

/** The check of every discovery document. */
export const DOCUMENT_CHECKS: Readonly<Record<DocumentKey, DocumentCheck>> = {
  llms: {
    expected: "a title, and every tool by name",
    problems: (body, { catalog }) => [
      ...title(body),
      ...missing(
        body,
        catalog.tools.map(({ name }) => `\`${name}\``),
      ),
    ],
  },
  llmsFull: {
    expected: "a section for every tool and prompt, every resource by URI",
    problems: (body, { catalog }) => [
      ...title(body),
      ...missing(body, [
        ...catalog.tools.map(({ name }) => `### ${name}\n`),
        ...catalog.prompts.map(({ name }) => `### ${name}\n`),
        ...catalog.resources.map(({ uri }) => `\`${uri}\``),
      ]),
    ],
  },
  llmsIndex: {
    expected: "JSON that lists exactly the registry",
    problems: (body, { catalog }) =>
      ofObject(body, (value) => [
        ...sameNames(
          value["tools"],
          "name",
          catalog.tools.map(({ name }) => name),
          "tools",
        ),
        ...sameNames(
          value["resources"],
          "uri",
          catalog.resources.map(({ uri }) => uri),
          "resources",
        ),
        ...sameNames(
          value["prompts"],
          "name",
          catalog.prompts.map(({ name }) => name),
          "prompts",
        ),
      ]),
  },
  openapi: {
    expected: "OpenAPI 3.1 with every route and the schemas of every tool",
    problems: openapiProblems,
  },
  asyncapi: {
    expected: "AsyncAPI 3 with messages for the event stream",
    problems: async (body, source) => {
      const document = await parseYamlText(body, source);
      if (!isObject(document)) return ["the body is not YAML"];
      if (!String(document["asyncapi"]).startsWith("3.")) return ["not AsyncAPI 3"];
      const components = document["components"];
      const messages = isObject(components) ? components["messages"] : undefined;
      return isObject(messages) && Object.keys(messages).length > 0 ? [] : ["no messages"];
    },
  },
  webStatus: manifest,
  legacyWeb4: manifest,
  provenance: {
    expected: "how records are looked up and verified",
    problems: (body) => ofObject(body, (value) => need(value, ["service", "lookup", "verify"])),
  },
  aiPlugin: {
    expected: "a manifest that points to the OpenAPI document",
    problems: (body) =>
      ofObject(body, (value) => [
        ...need(value, ["schema_version", "name_for_model", "description_for_model", "auth"]),
        ...(isObject(value["api"]) && String(value["api"]["url"]).endsWith("/openapi.yaml")
          ? []
          : ["no link to the OpenAPI document"]),
      ]),
  },
  trust: { expected: "the required trust policy line and every protected tool", problems: trustProblems },
  robots: {
    expected: "one group, for every user agent",
    problems: (body) => {
      const agents = (body.match(/^user-agent:.*$/gim) ?? []).map((line) =>
        line.slice(line.indexOf(":") + 1).trim(),
      );
      return agents.length === 1 && agents[0] === "*" ? [] : [`user agents: ${agents.join(", ") || "none"}`];
    },
  },
  serverCard,
  serverCardEndpoint: serverCard,
  mcpCatalog: {
    expected: "an entry that points to the server card",
    problems: (body) =>
      ofObject(body, (value) => {
        const [entry] = Array.isArray(value["entries"]) ? value["entries"] : [];
        return isObject(entry) && String(entry["url"]).endsWith("/api/mcp/server-card")
          ? []
          : ["no entry for the server card"];
      }),
  },
};

async function openapiProblems(body: string, source: Source): Promise<readonly string[]> {
  const { catalog, site } = source;
  const document = await parseYamlText(body, source);
  if (!isObject(document)) return ["the body is not YAML"];
  if (!String(document["openapi"]).startsWith("3.1")) return ["not OpenAPI 3.1"];
  const paths = isObject(document["paths"]) ? document["paths"] : {};
  const operations = Object.values(paths).flatMap((path) => (isObject(path) ? Object.keys(path) : [])).length;
  const components = isObject(document["components"]) ? document["components"] : {};
  const schemas = isObject(components["schemas"]) ? components["schemas"] : {};
  return [
    ...(operations === site.routes.length
      ? []
      : [`${operations} operations for ${site.routes.length} routes`]),
    ...catalog.tools
      .filter(({ name }) => !isObject(schemas[`${name}_arguments`]) || !isObject(schemas[`${name}_data`]))
      .map(({ name }) => `no schemas for ${name}`),
  ];
}

function trustProblems(body: string, { catalog }: Source): readonly string[] {
  return ofObject(body, (value) => {
    const guarded = catalog.tools.filter((tool) => tool.access !== "public").map(({ name }) => name);
    const boundary = value["boundary"];
    const listed = isObject(boundary) ? boundary["protectedTools"] : undefined;
    const same =
      Array.isArray(listed) &&
      listed.length === guarded.length &&
      guarded.every((name) => listed.includes(name));
    return [
      ...need(value, ["trustedDomains"]),
      ...(value["trustPolicyLine"] === TRUST_POLICY_LINE
        ? []
        : ["the required trust policy line is missing"]),
      ...(same ? [] : ["the protected tools are not the registry's"]),
    ];
  });
}

function title(body: string): readonly string[] {
  return /^# \S/.test(body) ? [] : ["the text does not begin with a title"];
}

function missing(body: string, wanted: readonly string[]): readonly string[] {
  return wanted.filter((text) => !body.includes(text)).map((text) => `${text.trim()} is missing`);
}

function need(value: Record<string, unknown>, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => value[key] === undefined).map((key) => `${key} is missing`);
}

function sameNames(list: unknown, key: string, wanted: readonly string[], what: string): readonly string[] {
  const given = Array.isArray(list)
    ? list.map((item: unknown) => (isObject(item) ? item[key] : undefined))
    : [];
  const same = given.length === wanted.length && wanted.every((name) => given.includes(name));
  return same ? [] : [`the ${what} are not the registry's`];
}

function ofObject(
  body: string,
  check: (value: Record<string, unknown>) => readonly string[],
): readonly string[] {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? check(value) : ["the body is not a JSON object"];
  } catch {
    return ["the body is not JSON"];
  }
}

async function parseYamlText(text: string, { workers }: Source): Promise<unknown> {
  try {
    return (await workers.run("read_yaml", { text })).value;
  } catch {
    return undefined;
  }
}
