import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { Layout } from "./shell/layout.tsx";
import { ErrorPage, Loading, NotFound } from "./shell/states.tsx";
import { ToolsPage } from "./pages/tools/tools.tsx";

/** Optional texts by name. */
type Texts<K extends string> = { [P in K]?: string | undefined };

/** Search parameters that are plain texts; others are dropped. */
function texts<K extends string>(...keys: readonly K[]): (search: Record<string, unknown>) => Texts<K> {
  return (search) => {
    const kept: Texts<K> = {};
    for (const key of keys) {
      const value = search[key];
      if (typeof value === "string" || typeof value === "number") kept[key] = String(value);
    }
    return kept;
  };
}

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ErrorPage });
const under = () => root;

const home = createRoute({
  getParentRoute: under,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home.tsx"), "HomePage"),
});
const welcome = createRoute({
  getParentRoute: under,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./pages/sign-in/welcome.tsx"), "WelcomePage"),
});
const tools = createRoute({
  getParentRoute: under,
  path: "/tools",
  validateSearch: texts("q", "show"),
  component: ToolsPage,
});
const tool = createRoute({
  getParentRoute: under,
  path: "/tools/$name",
  validateSearch: texts("tab", "q", "show"),
  component: ToolsPage,
});
// Links with a schema in them were given out under this address.
const own = createRoute({
  getParentRoute: under,
  path: "/own",
  validateSearch: texts("kind", "pick", "url", "kept"),
  beforeLoad: ({ search, location: { hash } }) => {
    throw redirect({ to: "/connections", search: { ...search, add: "open" }, hash, replace: true });
  },
});
const connections = createRoute({
  getParentRoute: under,
  path: "/connections",
  validateSearch: texts("add", "url", "kind", "pick", "kept"),
  component: lazyRouteComponent(() => import("./pages/connections/connections.tsx"), "ConnectionsPage"),
});
const connection = createRoute({
  getParentRoute: under,
  path: "/connections/$name",
  validateSearch: texts("pick", "tab"),
  component: lazyRouteComponent(() => import("./pages/connections/connection.tsx"), "ConnectionPage"),
});
const workflows = createRoute({
  getParentRoute: under,
  path: "/workflows",
  validateSearch: texts("import"),
  component: lazyRouteComponent(() => import("./pages/workflows/workflows.tsx"), "WorkflowsPage"),
});
const workflow = createRoute({
  getParentRoute: under,
  path: "/workflows/$id",
  validateSearch: texts("tab", "view", "node", "in", "field"),
  component: lazyRouteComponent(() => import("./pages/workflows/workflow.tsx"), "WorkflowPage"),
});
const templates = createRoute({
  getParentRoute: under,
  path: "/templates",
  validateSearch: texts("id"),
  component: lazyRouteComponent(() => import("./pages/workflows/templates.tsx"), "TemplatesPage"),
});
const triggers = createRoute({
  getParentRoute: under,
  path: "/triggers",
  validateSearch: texts("view"),
  component: lazyRouteComponent(() => import("./pages/triggers/triggers.tsx"), "TriggersPage"),
});
const trigger = createRoute({
  getParentRoute: under,
  path: "/triggers/$id",
  component: lazyRouteComponent(() => import("./pages/triggers/trigger.tsx"), "TriggerPage"),
});
const runs = createRoute({
  getParentRoute: under,
  path: "/runs",
  validateSearch: texts("state", "workflow", "person", "q", "from", "until", "step", "code"),
  component: lazyRouteComponent(() => import("./pages/runs/runs.tsx"), "RunsPage"),
});
const run = createRoute({
  getParentRoute: under,
  path: "/runs/$id",
  validateSearch: texts("step"),
  component: lazyRouteComponent(() => import("./pages/runs/run.tsx"), "RunPage"),
});
const approvals = createRoute({
  getParentRoute: under,
  path: "/approvals",
  validateSearch: texts("id", "inbox"),
  component: lazyRouteComponent(() => import("./pages/approvals/approvals.tsx"), "ApprovalsPage"),
});
const artifacts = createRoute({
  getParentRoute: under,
  path: "/artifacts",
  validateSearch: texts("view"),
  component: lazyRouteComponent(() => import("./pages/artifacts/artifacts.tsx"), "ArtifactsPage"),
});
const artifact = createRoute({
  getParentRoute: under,
  path: "/artifacts/$id",
  component: lazyRouteComponent(() => import("./pages/artifacts/artifact.tsx"), "ArtifactPage"),
});
const handoffs = createRoute({
  getParentRoute: under,
  path: "/handoffs",
  validateSearch: texts("view"),
  component: lazyRouteComponent(() => import("./pages/handoffs/handoffs.tsx"), "HandoffsPage"),
});
const provenance = createRoute({
  getParentRoute: under,
  path: "/provenance",
  validateSearch: texts("by", "value"),
  component: lazyRouteComponent(() => import("./pages/approvals/provenance.tsx"), "ProvenancePage"),
});
const receipt = createRoute({
  getParentRoute: under,
  path: "/receipt",
  validateSearch: texts("run"),
  component: lazyRouteComponent(() => import("./pages/approvals/receipt.tsx"), "ReceiptPage"),
});
const signIn = createRoute({
  getParentRoute: under,
  path: "/sign-in",
  validateSearch: texts("to", "problem"),
  component: lazyRouteComponent(() => import("./pages/sign-in/sign-in.tsx"), "SignInPage"),
});
const join = createRoute({
  getParentRoute: under,
  path: "/join",
  component: lazyRouteComponent(() => import("./pages/sign-in/join.tsx"), "JoinPage"),
});
const account = createRoute({
  getParentRoute: under,
  path: "/account",
  component: lazyRouteComponent(() => import("./pages/account/account.tsx"), "AccountPage"),
});
const tokens = createRoute({
  getParentRoute: under,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./pages/account/tokens.tsx"), "TokensPage"),
});
const clients = createRoute({
  getParentRoute: under,
  path: "/clients",
  component: lazyRouteComponent(() => import("./pages/developers/clients.tsx"), "ClientsPage"),
});
const consent = createRoute({
  getParentRoute: under,
  path: "/oauth/requests/$uid",
  component: lazyRouteComponent(() => import("./pages/sign-in/consent.tsx"), "ConsentPage"),
});
const device = createRoute({
  getParentRoute: under,
  path: "/device",
  validateSearch: texts("user_code"),
  component: lazyRouteComponent(() => import("./pages/sign-in/device.tsx"), "DevicePage"),
});
const people = createRoute({
  getParentRoute: under,
  path: "/people",
  component: lazyRouteComponent(() => import("./pages/people/people.tsx"), "PeoplePage"),
});
const audit = createRoute({
  getParentRoute: under,
  path: "/audit",
  validateSearch: texts("actor", "action", "subject", "from", "until", "cursor"),
  component: lazyRouteComponent(() => import("./pages/people/audit.tsx"), "AuditPage"),
});
const guard = createRoute({
  getParentRoute: under,
  path: "/guard",
  validateSearch: texts("tab", "show", "cursor"),
  component: lazyRouteComponent(() => import("./pages/guard/guard.tsx"), "GuardPage"),
});
const retention = createRoute({
  getParentRoute: under,
  path: "/retention",
  component: lazyRouteComponent(() => import("./pages/people/retention.tsx"), "RetentionPage"),
});
const demo = createRoute({
  getParentRoute: under,
  path: "/demo",
  component: lazyRouteComponent(() => import("./pages/handoffs/demo.tsx"), "DemoPage"),
});
const developers = createRoute({
  getParentRoute: under,
  path: "/developers",
  validateSearch: texts("tab"),
  component: lazyRouteComponent(() => import("./pages/developers/developers.tsx"), "DevelopersPage"),
});
const docs = createRoute({
  getParentRoute: under,
  path: "/docs",
  validateSearch: texts("q"),
  component: lazyRouteComponent(() => import("./pages/developers/docs.tsx"), "DocsPage"),
});
const docsPage = createRoute({
  getParentRoute: under,
  path: "/docs/$",
  validateSearch: texts("q"),
  component: lazyRouteComponent(() => import("./pages/developers/docs.tsx"), "DocsPage"),
});

/** Every page and its address. The tools page is part of the first load, the others come when they are asked for. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    welcome,
    tools,
    tool,
    own,
    connections,
    connection,
    workflows,
    workflow,
    templates,
    triggers,
    trigger,
    runs,
    run,
    approvals,
    artifacts,
    artifact,
    handoffs,
    provenance,
    receipt,
    signIn,
    join,
    account,
    tokens,
    clients,
    consent,
    device,
    people,
    audit,
    guard,
    retention,
    demo,
    developers,
    docs,
    docsPage,
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
