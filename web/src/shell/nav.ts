import type { OperationName } from "@workflow-ui/client";
import {
  Activity,
  Archive,
  ArrowLeftRight,
  BookOpen,
  Clapperboard,
  Compass,
  History,
  House,
  LayoutTemplate,
  ListChecks,
  Plug,
  ReceiptText,
  Shield,
  ShieldCheck,
  SquareTerminal,
  Stamp,
  Users,
  Waypoints,
  Wrench,
  Zap,
  type LucideIcon,
} from "lucide-react";

/** A page in the navigation. */
export interface NavItem {
  readonly to:
    | "/"
    | "/welcome"
    | "/tools"
    | "/guard"
    | "/connections"
    | "/workflows"
    | "/templates"
    | "/triggers"
    | "/runs"
    | "/approvals"
    | "/artifacts"
    | "/handoffs"
    | "/provenance"
    | "/people"
    | "/audit"
    | "/retention"
    | "/receipt"
    | "/demo"
    | "/developers"
    | "/docs";
  readonly label: string;
  readonly icon: LucideIcon;
  readonly about: string;
  /** What the page shows is an operation's that not everybody may call. */
  readonly op?: OperationName;
  /** The second key after `g`. */
  readonly key: string;
}

/** The pages in their groups. The palette, the help and the sidebar read this list. */
export const NAV: readonly { readonly group: string; readonly items: readonly NavItem[] }[] = [
  {
    group: "Operate",
    items: [
      { to: "/", label: "Home", icon: House, about: "Approvals, runs and workflows", key: "h" },
      { to: "/tools", label: "Tools", icon: Wrench, about: "Every tool as a form", key: "t" },
      {
        to: "/connections",
        label: "Connections",
        icon: Plug,
        about: "Bring APIs, MCP servers and schemas",
        key: "c",
      },
      {
        to: "/guard",
        label: "Guard",
        icon: Shield,
        about: "What agents may call, and what they ask",
        key: "n",
      },
    ],
  },
  {
    group: "Automate",
    items: [
      {
        to: "/workflows",
        label: "Workflows",
        icon: Waypoints,
        about: "Chain tools, with people in the loop",
        key: "w",
      },
      {
        to: "/templates",
        label: "Templates",
        icon: LayoutTemplate,
        about: "Ready-made workflows",
        key: "m",
      },
      { to: "/triggers", label: "Triggers", icon: Zap, about: "What starts workflows by itself", key: "z" },
      { to: "/runs", label: "Runs", icon: Activity, about: "What ran, step by step", key: "r" },
      { to: "/approvals", label: "Approvals", icon: Stamp, about: "Decisions that runs wait for", key: "a" },
    ],
  },
  {
    group: "Records",
    items: [
      {
        to: "/artifacts",
        label: "Artifacts",
        icon: Archive,
        about: "Drafts here, saved ones on the server",
        key: "f",
      },
      {
        to: "/handoffs",
        label: "Handoffs",
        icon: ArrowLeftRight,
        about: "Work given and received",
        key: "o",
      },
      { to: "/provenance", label: "Provenance", icon: ShieldCheck, about: "Look up and verify", key: "p" },
      {
        to: "/receipt",
        label: "Receipts",
        icon: ReceiptText,
        about: "Check the receipt of a run, offline",
        key: "e",
      },
    ],
  },
  {
    group: "Service",
    items: [
      {
        to: "/people",
        label: "People",
        icon: Users,
        about: "Who may sign in, and as what",
        key: "u",
        op: "list_people",
      },
      {
        to: "/audit",
        label: "Audit",
        icon: ListChecks,
        about: "Who did what when",
        key: "i",
        op: "list_audit",
      },
      {
        to: "/retention",
        label: "Retention",
        icon: History,
        about: "How long runs are kept",
        key: "q",
        op: "list_retention_rules",
      },
      {
        to: "/demo",
        label: "Demo suite",
        icon: Clapperboard,
        about: "The six-step flow as a live board",
        key: "d",
      },
      {
        to: "/developers",
        label: "Developers",
        icon: SquareTerminal,
        about: "Endpoints, clients, events, status",
        key: "v",
      },
      { to: "/docs", label: "Documentation", icon: BookOpen, about: "Guides and reference", key: "k" },
      {
        to: "/welcome",
        label: "Getting started",
        icon: Compass,
        about: "Form, workflow, approval in three minutes",
        key: "s",
      },
    ],
  },
];

/** All pages in one list. */
export const PAGES: readonly NavItem[] = NAV.flatMap((group) => group.items);
