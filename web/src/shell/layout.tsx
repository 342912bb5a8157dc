import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { CloudOff, Keyboard, Menu as MenuIcon, Monitor, Moon, Search, Sun } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useOperation } from "../api/operations.ts";
import { useRefusal } from "../api/rights.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { buttonClass, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { ActivityButton } from "./activity-panel.tsx";
import { HoldBanner } from "./hold-banner.tsx";
import { useHeadingFocus } from "./heading-focus.ts";
import { KeyButton } from "./key-button.tsx";
import { NAV, type NavItem } from "./nav.ts";
import { overlay } from "./overlays.ts";
import { useShortcuts } from "./shortcuts.tsx";
import { nextTheme, setTheme, theme } from "./theme.ts";
import { Toasts } from "./toasts.tsx";

const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));
const SignInDialog = lazy(() =>
  import("./sign-in-dialog.tsx").then((module) => ({ default: module.SignInDialog })),
);
const ShortcutHelp = lazy(() =>
  import("./shortcut-help.tsx").then((module) => ({ default: module.ShortcutHelp })),
);

/** The frame around every page. */
export function Layout() {
  useShortcuts();
  const open = useExternal(overlay);
  const isAsked = useExternal(session).asking !== null;
  const path = useRouterState({ select: (state) => state.location.pathname });
  const moving = useRouterState({ select: (state) => state.isLoading });
  useEffect(() => overlay.set("none"), [path]);
  // The address changes before the page does.
  useHeadingFocus(useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? "" }));
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh scroll-y border-r border-line bg-sunken lg:block">
        <Brand className="px-4 pt-3 pb-3" />
        <Nav />
      </aside>
      <div className="flex min-w-0 flex-col">
        <TopBar />
        <Offline />
        <HoldBanner />
        <SessionEnded />
        <main id="main" tabIndex={-1} aria-busy={moving} className="min-w-0 flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <Dialog open={open === "nav"} onClose={() => overlay.set("none")} title="Pages" shape="side">
        <Nav />
      </Dialog>
      {open === "palette" ? (
        <Suspense>
          <Palette />
        </Suspense>
      ) : null}
      {open === "help" ? (
        <Suspense>
          <ShortcutHelp />
        </Suspense>
      ) : null}
      {isAsked ? (
        <Suspense>
          <SignInDialog />
        </Suspense>
      ) : null}
    </div>
  );
}

function Brand({ className }: { readonly className?: string }) {
  return (
    <Link to="/" className={cx("flex items-center gap-2.5 font-semibold", className)}>
      <img src="/favicon.svg" alt="" className="size-6" />
      <span className="text-[0.9375rem] tracking-tight">Workflow-UI</span>
    </Link>
  );
}

function Nav() {
  const approvals = useOperation("list_approvals", { limit: 100 }, { refetchInterval: 60_000 });
  const waiting = (approvals.data?.approvals ?? []).filter((item) => item.status === "pending").length;
  const refusal = useRefusal();
  const isFor = ({ op }: NavItem) => op === undefined || refusal(op) === "";
  return (
    <nav aria-label="Pages" className="space-y-3 px-2.5 pb-4">
      {NAV.map(({ group, items }) => (
        <div key={group}>
          <h2 className="px-2 pb-1 text-2xs font-semibold tracking-wide text-ink-3">{group}</h2>
          <ul className="space-y-px">
            {items.filter(isFor).map((item) => (
              <li key={item.to}>
                <Link
                  to={item.to}
                  activeOptions={{ exact: item.to === "/" }}
                  className="group flex h-7 items-center gap-2.5 max-lg:h-9 rounded-[7px] px-2 text-base text-ink-2 hover:bg-hover hover:text-ink data-[status=active]:bg-surface data-[status=active]:font-medium data-[status=active]:text-ink data-[status=active]:shadow-card"
                >
                  <item.icon
                    aria-hidden
                    className="size-4 text-ink-3 group-data-[status=active]:text-accent"
                  />
                  <span className="flex-1">{item.label}</span>
                  {item.to === "/approvals" && waiting > 0 ? (
                    <span className="grid h-[18px] min-w-[18px] place-items-center rounded-full bg-accent px-1 text-2xs font-semibold text-on-accent">
                      {waiting}
                      <span className="sr-only"> waiting</span>
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-1.5 border-b border-line bg-canvas/85 px-3 backdrop-blur sm:px-5">
      <IconButton label="Pages" className="lg:hidden" onClick={() => overlay.set("nav")}>
        <MenuIcon />
      </IconButton>
      <Brand className="lg:hidden [&_span]:max-sm:sr-only" />
      <button
        type="button"
        onClick={() => overlay.set("palette")}
        className="ml-1 flex h-8 min-w-0 flex-1 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-ink-3 shadow-card hover:border-line-strong sm:max-w-80 sm:basis-80 lg:ml-0"
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className="flex-1 truncate text-left">
          Search<span className="max-sm:hidden"> or do anything</span>
        </span>
        <span className="flex gap-1 max-sm:hidden">
          <Kbd>Ctrl</Kbd>
          <Kbd>K</Kbd>
        </span>
      </button>
      <Toasts />
      <ActivityButton />
      <ThemeButton />
      <IconButton label="Keyboard shortcuts" className="max-sm:hidden" onClick={() => overlay.set("help")}>
        <Keyboard />
      </IconButton>
      <KeyButton />
    </header>
  );
}

function ThemeButton() {
  const chosen = useExternal(theme);
  const icons = { system: <Monitor />, light: <Sun />, dark: <Moon /> };
  return (
    <IconButton label={`Theme: ${chosen}`} onClick={() => setTheme(nextTheme())}>
      {icons[chosen]}
    </IconButton>
  );
}

/** A session that ended while a person was at work: nothing is lost, and the way back leads to this page. */
function SessionEnded() {
  const { ended } = useExternal(session);
  const here = useRouterState({ select: (state) => state.location.href });
  if (!ended || here.startsWith("/sign-in")) return null;
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-3 border-b border-line bg-warn-soft px-5 py-1.5 text-warn"
    >
      Your session has ended. What you entered is kept here.
      <Link to="/sign-in" search={{ to: here }} className={buttonClass("primary", "sm")}>
        Sign in and go on
      </Link>
    </p>
  );
}

function Offline() {
  const [online, setOnline] = useState(() => navigator.onLine);
  useEffect(() => {
    const changed = () => setOnline(navigator.onLine);
    window.addEventListener("online", changed);
    window.addEventListener("offline", changed);
    return () => {
      window.removeEventListener("online", changed);
      window.removeEventListener("offline", changed);
    };
  }, []);
  if (online) return null;
  return (
    <p
      role="status"
      className="flex items-center gap-2 border-b border-line bg-warn-soft px-5 py-1.5 text-sm text-warn"
    >
      <CloudOff aria-hidden className="size-4" /> You are offline. Forms and drafts still work; calls fail
      until you are back.
    </p>
  );
}
