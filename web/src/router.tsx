import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { Layout } from "./shell/layout.tsx";
import { ErrorPage, Loading, NotFound } from "./shell/states.tsx";
import { ToolsPage } from "./pages/tools/tools.tsx";

/** Optional texts by name. */
type Texts<K extends string> = { [P in K]?: string | undefined };

/** The search parameters of these names as texts. */
function textsOf<K extends string>(search: Record<string, unknown>, keys: readonly K[]): Texts<K> {
  const kept: Texts<K> = {};
  for (const key of keys) {
    const value = search[key];
    if (typeof value === "string" || typeof value === "number") kept[key] = String(value);
  }
  return kept;
}

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ErrorPage });

/** A page, the export of a file that is fetched when it is opened, and the search parameters that it reads. */
function page<const P extends string, N extends string, K extends string>(
  path: P,
  name: N,
  keys: readonly K[],
  load: () => Promise<{ readonly [M in N]: RouteComponent }>,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search: Record<string, unknown>) => textsOf(search, keys),
    component: lazyRouteComponent(load, name),
  });
}

const tools = createRoute({
  getParentRoute: () => root,
  path: "/tools",
  validateSearch: (search) => textsOf(search, ["q", "show"]),
  component: ToolsPage,
});
const tool = createRoute({
  getParentRoute: () => root,
  path: "/tools/$name",
  validateSearch: (search) => textsOf(search, ["tab", "q", "show"]),
  component: ToolsPage,
});
// Links with a schema in them were given out under this address.
const own = createRoute({
  getParentRoute: () => root,
  path: "/own",
  validateSearch: (search) => textsOf(search, ["kind", "pick", "url", "kept"]),
  beforeLoad: ({ search, location: { hash } }) => {
    throw redirect({ to: "/connections", search: { ...search, add: "open" }, hash, replace: true });
  },
});

/** Every page and its address. The tools page is part of the first load, the others come when they are asked for. */
export const router = createRouter({
  routeTree: root.addChildren([
    own,
    tools,
    tool,
    page("/", "HomePage", [], () => import("./pages/home.tsx")),
    page("/welcome", "WelcomePage", [], () => import("./pages/sign-in/welcome.tsx")),
    page(
      "/connections",
      "ConnectionsPage",
      ["add", "url", "kind", "pick", "kept"],
      () => import("./pages/connections/connections.tsx"),
    ),
    page(
      "/connections/$name",
      "ConnectionPage",
      ["pick", "tab"],
      () => import("./pages/connections/connection.tsx"),
    ),
    page("/workflows", "WorkflowsPage", ["import"], () => import("./pages/workflows/workflows.tsx")),
    page(
      "/workflows/$id",
      "WorkflowPage",
      ["tab", "view", "node", "in", "field"],
      () => import("./pages/workflows/workflow.tsx"),
    ),
    page("/templates", "TemplatesPage", ["id"], () => import("./pages/workflows/templates.tsx")),
    page("/triggers", "TriggersPage", ["view"], () => import("./pages/triggers/triggers.tsx")),
    page("/triggers/$id", "TriggerPage", [], () => import("./pages/triggers/trigger.tsx")),
    page(
      "/runs",
      "RunsPage",
      ["state", "workflow", "person", "q", "from", "until", "step", "code"],
      () => import("./pages/runs/runs.tsx"),
    ),
    page("/runs/$id", "RunPage", ["step"], () => import("./pages/runs/run.tsx")),
    page("/approvals", "ApprovalsPage", ["id", "inbox"], () => import("./pages/approvals/approvals.tsx")),
    page("/artifacts", "ArtifactsPage", ["view"], () => import("./pages/artifacts/artifacts.tsx")),
    page("/artifacts/$id", "ArtifactPage", [], () => import("./pages/artifacts/artifact.tsx")),
    page("/handoffs", "HandoffsPage", ["view"], () => import("./pages/handoffs/handoffs.tsx")),
    page("/provenance", "ProvenancePage", ["by", "value"], () => import("./pages/approvals/provenance.tsx")),
    page("/receipt", "ReceiptPage", ["run"], () => import("./pages/approvals/receipt.tsx")),
    page("/sign-in", "SignInPage", ["to", "problem"], () => import("./pages/sign-in/sign-in.tsx")),
    page("/join", "JoinPage", [], () => import("./pages/sign-in/join.tsx")),
    page("/account", "AccountPage", [], () => import("./pages/account/account.tsx")),
    page("/tokens", "TokensPage", [], () => import("./pages/account/tokens.tsx")),
    page("/clients", "ClientsPage", [], () => import("./pages/developers/clients.tsx")),
    page("/oauth/requests/$uid", "ConsentPage", [], () => import("./pages/sign-in/consent.tsx")),
    page("/device", "DevicePage", ["user_code"], () => import("./pages/sign-in/device.tsx")),
    page("/people", "PeoplePage", [], () => import("./pages/people/people.tsx")),
    page(
      "/audit",
      "AuditPage",
      ["actor", "action", "subject", "from", "until", "cursor"],
      () => import("./pages/people/audit.tsx"),
    ),
    page("/guard", "GuardPage", ["tab", "show", "cursor"], () => import("./pages/guard/guard.tsx")),
    page("/retention", "RetentionPage", [], () => import("./pages/people/retention.tsx")),
    page("/demo", "DemoPage", [], () => import("./pages/handoffs/demo.tsx")),
    page("/developers", "DevelopersPage", ["tab"], () => import("./pages/developers/developers.tsx")),
    page("/docs", "DocsPage", ["q"], () => import("./pages/developers/docs.tsx")),
    page("/docs/$", "DocsPage", ["q"], () => import("./pages/developers/docs.tsx")),
  ]),
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
