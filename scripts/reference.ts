import { cell, parameterRows, typeText } from "../src/discovery/tool-table.ts";
import { plainSchema } from "../src/discovery/declarations.ts";
import { isObject } from "../src/kernel/json.ts";
import {
  placesOf,
  routeOfOperation,
  type OperationAccess,
  type OperationDeclaration,
} from "../src/ports/operations.ts";

/*
 * docs/reference: the operations that REST reaches, a page for each domain, from their declarations.
 */

interface Domain {
  readonly name: string;
  readonly title: string;
  /** What follows `/api/svc/` in the paths of its operations. */
  readonly paths: readonly string[];
}

const DOMAINS: readonly Domain[] = [
  {
    name: "workflows",
    title: "Workflows, triggers and forms",
    paths: ["workflows", "workflow-schema", "forms", "triggers"],
  },
  { name: "runs", title: "Runs and retention", paths: ["runs", "traces", "retention", "hold"] },
  { name: "approvals", title: "Approvals and guard", paths: ["approvals", "guard"] },
  { name: "connections", title: "Connections", paths: ["connections", "network-tools"] },
  { name: "credentials", title: "Credentials", paths: ["credentials", "vault"] },
  {
    name: "people",
    title: "People, keys and audit",
    paths: [
      "people",
      "groups",
      "sessions",
      "tokens",
      "passkeys",
      "invitations",
      "roles",
      "keys",
      "me",
      "account",
      "audit",
      "notification-targets",
      "unsubscribe",
    ],
  },
  { name: "events", title: "Events and webhooks", paths: ["events", "webhooks"] },
  {
    name: "handoffs",
    title: "Handoffs and provenance",
    paths: ["handoffs", "receive-handoff", "demo-suite", "provenance"],
  },
];
const REST: Domain = { name: "service", title: "Discovery, health and sign-in", paths: [] };

/** The pages of the reference by their path in the repository. */
export function referencePages(operations: readonly OperationDeclaration[]): ReadonlyMap<string, string> {
  const of = Map.groupBy(operations, (operation) => domainOf(routeOfOperation(operation).path));
  return new Map(
    [...DOMAINS, REST].map((domain) => [
      `docs/reference/${domain.name}.md`,
      page(domain, of.get(domain) ?? []),
    ]),
  );
}

function domainOf(path: string): Domain {
  const [, , , segment = ""] = path.startsWith("/api/svc/") ? path.split("/") : [];
  return DOMAINS.find(({ paths }) => paths.includes(segment)) ?? REST;
}

function page({ title }: Domain, operations: readonly OperationDeclaration[]): string {
  return [
    `# ${title}: operations`,
    "",
    "Generated from the operations by `npm run generate`; do not edit. Answers are envelopes, `{ok, data}`; the members below are those of `data`. The same as a document for programs: `/openapi.yaml`.",
    "",
    "| operation | route | access |",
    "|---|---|---|",
    ...operations.map(
      ({ name, http, access }) => `| [\`${name}\`](#${name}) | \`${http}\` | ${accessText(access)} |`,
    ),
    "",
    ...operations.flatMap(section),
  ].join("\n");
}

function section(operation: OperationDeclaration): readonly string[] {
  const { name, title, http, access, effect, idempotent, description, input, output, status } = operation;
  const places = placesOf(operation);
  const place = (member: string): string =>
    places.path.includes(member) ? "path" : places.query.includes(member) ? "query" : "body";
  const members = plainSchema(output)["properties"];
  return [
    `## ${name}`,
    "",
    `**${title}** · \`${http}\` · ${accessText(access)} · effect: ${effect}${idempotent ? ", safe to repeat" : ""}`,
    "",
    description,
    "",
    ...parameterRows(input, place),
    ...(isObject(members) && Object.keys(members).length > 0
      ? [
          `Answers ${status ?? 200} with ${Object.entries(members)
            .map(([member, schema]) => `\`${member}\` (${cell(typeText(schema))})`)
            .join(", ")}.`,
          "",
        ]
      : []),
  ];
}

function accessText(access: OperationAccess): string {
  if (typeof access === "string") {
    const words = {
      public: "public",
      mixed: "public, more with a key",
      key: "any key or session",
      person: "signed-in people",
    };
    return Object.entries(words).find(([key]) => key === access)?.[1] ?? `\`${access}\``;
  }
  const [scopes, word] = "all" in access ? [access.all, " and "] : [access.any, " or "];
  return scopes.map((scope) => `\`${scope}\``).join(word);
}
