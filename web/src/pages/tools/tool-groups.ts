const GROUPS: readonly (readonly [string, RegExp])[] = [
  ["From your connections", /:/],
  ["Make and check forms", /form|generate_tool_specs/],
  ["Follow runs and decide", /_run$|run_workflow$|approv|reject/],
  ["Build workflows", /workflow$|template|workflows$|plan_|publish_workflow/],
  [
    "Keep and share artifacts",
    /(list|get|create_local|clone|export|save|update|delete)_artifacts?$|share_packet/,
  ],
  ["Prove what happened", /provenance|fingerprint/],
  [
    "Send work to other services",
    /delegat|trigger|publish|sandbox|evals|browsercheck|docs_report|sheet|catalog|studio|ascii|integration|layout|network/,
  ],
  ["Call any tool", /mcp_tool/],
  ["Set rules for agents", /policy|agent|trust|access|robots/],
  ["Use the command line", /cli|suitectl/],
];

/** The task under which a tool is listed. */
export function toolGroup(name: string): string {
  return GROUPS.find(([, test]) => test.test(name))?.[0] ?? "Look at this service";
}

/** The headings in the order in which they are shown. */
export const TASKS: readonly string[] = [...GROUPS.map(([title]) => title), "Look at this service"];

/** True for a tool that does what another one does, under an older name: a search finds it, the list leaves it out. */
export function isAlias({ description }: { readonly description: string }): boolean {
  return /^(legacy )?alias of\b/i.test(description);
}
