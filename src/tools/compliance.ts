import { Type } from "typebox";
import { checkCompliance } from "../discovery/compliance.ts";
import { renderScorecard, renderWebStatus } from "../discovery/scorecard.ts";
import { renderWebManifest } from "../discovery/well-known.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { inputOf } from "../model/common.ts";
import { Counts } from "./service.ts";

const { defineTool, declared } = toolList();

const Texts = Type.Array(Type.String());
const Report = Type.Object({
  status: Type.String({ description: "compliant or failing." }),
  passed: Type.Integer(),
  failed: Type.Integer(),
  checks: Type.Array(
    Type.Object({
      check: Type.String(),
      target: Type.String(),
      ok: Type.Boolean(),
      expected: Type.String(),
      observed: Type.String(),
      problems: Texts,
    }),
  ),
  checkedAt: Type.String(),
});
const Tally = Type.Object({ status: Type.String(), passed: Type.Integer(), failed: Type.Integer() });
const read = { input: inputOf({}), access: "public", effect: "none" } as const;

const manifest = {
  ...read,
  output: Type.Object({
    schemaVersion: Type.String(),
    id: Type.String(),
    name: Type.String(),
    title: Type.String(),
    version: Type.String(),
    description: Type.String(),
    url: Type.String(),
    endpoints: Type.Record(Type.String(), Type.String()),
    counts: Counts,
    discovery: Type.Record(Type.String(), Type.String()),
    access: Type.Record(Type.String(), Type.String()),
    liveStatus: Type.Object({ note: Type.String(), tools: Texts }),
    boundary: Type.String(),
    generatedAt: Type.String(),
  }),
};

const status = {
  ...read,
  output: Type.Object({
    service: Type.String(),
    version: Type.String(),
    status: Type.String({ description: "operational, degraded (storage cannot be written) or failing." }),
    storage: Type.Object({ kind: Type.String(), ready: Type.Boolean() }),
    routes: Tally,
    documents: Tally,
    failing: Type.Array(
      Type.Object({
        target: Type.String(),
        expected: Type.String(),
        observed: Type.String(),
        problems: Texts,
      }),
    ),
    evidence: Texts,
    checkedAt: Type.String(),
  }),
};

const scorecard = {
  ...read,
  output: Type.Object({
    service: Type.String(),
    version: Type.String(),
    score: Type.Number({ description: "Percentage of checks that passed." }),
    passed: Type.Integer(),
    total: Type.Integer(),
    criteria: Type.Array(
      Type.Object({
        criterion: Type.String(),
        score: Type.Number(),
        passed: Type.Integer(),
        total: Type.Integer(),
        basis: Type.String(),
        failing: Texts,
      }),
    ),
    method: Type.String(),
    checkedAt: Type.String(),
  }),
};

defineTool({
  ...read,
  name: "get_route_compliance",
  title: "Route compliance",
  description:
    "Requests every HTTP route of this service in process and reports for each what was expected, what came and what was wrong. Computed when asked (kept five seconds), so a route that breaks shows up as failing.",
  output: Report,
  run: async (_args, { services }) => (await checkCompliance(services)).routes,
});

defineTool({
  ...read,
  name: "get_discovery_compliance",
  title: "Discovery compliance",
  description:
    "Requests every discovery document in process and checks that it parses, has its content type and names exactly what the registry holds. Each check comes with its evidence; kept five seconds.",
  output: Report,
  run: async (_args, { services }) => (await checkCompliance(services)).documents,
});

defineTool({
  ...manifest,
  name: "get_svc_web_manifest",
  title: "Web manifest",
  description:
    "Returns the web manifest, the cheapest overview (4 KB): identity, endpoints, counts, discovery addresses and the access boundary, as in /.well-known/web.json. It declares; whether things work is computed by get_svc_web_status.",
  run: (_args, { services }) => renderWebManifest(services),
});

defineTool({
  ...status,
  name: "get_svc_web_status",
  title: "Web status",
  description:
    "Computes whether the web surface works now: every route and discovery document is requested in process, storage is asked, and whatever fails is listed with expected and observed. Kept five seconds.",
  run: (_args, { context }) => renderWebStatus(context),
});

defineTool({
  ...scorecard,
  name: "get_svc_web_scorecard",
  title: "Web scorecard",
  description:
    "Scores the service by checks that really run: routes, discovery documents, tool declarations and the access boundary, each as passed out of total with what failed. Nothing is estimated or remembered beyond five seconds.",
  run: (_args, { context }) => renderScorecard(context),
});

defineTool({
  ...manifest,
  name: "get_svc_web4_manifest",
  title: "Web manifest (legacy alias)",
  description:
    "Legacy alias of get_svc_web_manifest, kept for older callers: returns the same web manifest with identity, endpoints and discovery addresses.",
  run: (_args, { services }) => renderWebManifest(services),
});

defineTool({
  ...status,
  name: "get_svc_web4_status",
  title: "Web status (legacy alias)",
  description:
    "Legacy alias of get_svc_web_status, kept for older callers: computes the same status of routes, documents and storage.",
  run: (_args, { context }) => renderWebStatus(context),
});

defineTool({
  ...scorecard,
  name: "get_svc_scorecard",
  title: "Web scorecard (legacy alias)",
  description:
    "Legacy alias of get_svc_web_scorecard, kept for older callers: returns the same scores computed from checks that ran.",
  run: (_args, { context }) => renderScorecard(context),
});

/** The tools of this domain. */
export const complianceTools: readonly Tool[] = declared;
