const GROUPS: readonly (readonly [string, RegExp])[] = [
  ["From another server", /:/],
  ["Forms", /form|generate_tool_specs/],
  ["Runs and approvals", /_run$|run_workflow$|approv|reject/],
  ["Workflows and templates", /workflow|template/],
  ["Artifacts", /artifact|share_packet/],
  ["Provenance", /provenance|fingerprint/],
  [
    "Handoffs and siblings",
    /delegat|trigger|sandbox|evals|browsercheck|docs_report|sheet|catalog|studio|ascii|integration|layout/,
  ],
  ["Policy and access", /policy|agent|trust|access/],
  ["Command line", /cli|suitectl/],
];

/** The heading under which a tool is listed. */
export function toolGroup(name: string): string {
  return GROUPS.find(([, test]) => test.test(name))?.[0] ?? "Service";
}
