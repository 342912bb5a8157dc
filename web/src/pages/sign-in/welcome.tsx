import { Link } from "@tanstack/react-router";
import { Braces, Check, Stamp, Waypoints } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toFragment } from "../../lib/fragment.ts";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Page } from "../../ui/page.tsx";

const SAMPLE = JSON.stringify({
  title: "Release check",
  type: "object",
  required: ["targetUrl", "workflowTitle", "releaseGate"],
  properties: {
    targetUrl: { type: "string", format: "uri", description: "What should be looked at." },
    workflowTitle: { type: "string" },
    releaseGate: { enum: ["workflow_contract", "ui_quality", "web_readiness"], default: "workflow_contract" },
    dryRun: { type: "boolean", default: true },
  },
});
const DONE = "welcome-done";

/** From nothing to a first form, a first workflow and a first approval. */
export function WelcomePage() {
  const [done, setDone] = useState<ReadonlySet<string>>(() => new Set(readDone().split(",")));
  const mark = (step: string) => {
    const next = new Set(done);
    if (!next.delete(step)) next.add(step);
    writeDone([...next].join(","));
    setDone(next);
  };
  return (
    <Page
      title="Getting started"
      lead="Three minutes: a form, a workflow, an approval. The first needs nothing; the others need an account."
    >
      <ol className="space-y-4">
        <Step
          n={1}
          id="form"
          icon={<Braces />}
          title="Operate something from a form"
          done={done.has("form")}
          onMark={mark}
          time="30 seconds"
        >
          <p>
            A schema becomes a form at once, in this browser. Nothing is uploaded. Fill it in, look at the
            JSON, break a rule and see what it says.
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Link
              to="/connections"
              search={{ add: "open" }}
              hash={toFragment("schema", SAMPLE).slice(1)}
              className={buttonClass("primary")}
            >
              Open a sample schema
            </Link>
            <Link to="/tools/$name" params={{ name: "validate_form_input" }} className={buttonClass()}>
              Or operate a real tool
            </Link>
          </div>
        </Step>
        <Step
          n={2}
          id="workflow"
          icon={<Waypoints />}
          title="Create a workflow"
          done={done.has("workflow")}
          onMark={mark}
          time="90 seconds"
        >
          <p>
            Choose a template, preview it, use it. The editor shows every problem while you build, and the
            plan before anything runs. Sign in to save it and run it.
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Link to="/templates" className={buttonClass("primary")}>
              Choose a template
            </Link>
            <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
              Build one yourself
            </Link>
          </div>
        </Step>
        <Step
          n={3}
          id="approval"
          icon={<Stamp />}
          title="Decide something"
          done={done.has("approval")}
          onMark={mark}
          time="60 seconds"
        >
          <p>
            Run a workflow with an approval step. It stops, you see exactly what it is about to do, you
            decide, it goes on. What happened is provable afterwards.
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Link to="/approvals" className={buttonClass("primary")}>
              Approvals
            </Link>
            <Link to="/provenance" className={buttonClass()}>
              Provenance
            </Link>
          </div>
        </Step>
      </ol>
      <p className="mt-6 text-ink-2">
        Anywhere: <Kbd>Ctrl</Kbd> <Kbd>K</Kbd> finds pages, tools, workflows and runs; <Kbd>?</Kbd> lists
        every shortcut.
      </p>
    </Page>
  );
}

/** Which steps were marked; nothing when the browser forbids storage. */
function readDone(): string {
  try {
    return localStorage.getItem(DONE) ?? "";
  } catch {
    return "";
  }
}

function writeDone(text: string): void {
  try {
    localStorage.setItem(DONE, text);
  } catch {
    // Storage is forbidden: the marks hold for this page only.
  }
}

interface StepProps {
  readonly n: number;
  readonly id: string;
  readonly icon: ReactNode;
  readonly title: string;
  readonly time: string;
  readonly done: boolean;
  readonly onMark: (id: string) => void;
  readonly children: ReactNode;
}

function Step({ n, id, icon, title, time, done, onMark, children }: StepProps) {
  return (
    <li className="panel grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 p-4 sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:p-5">
      <span
        className={cx(
          "grid size-10 shrink-0 place-items-center rounded-xl [&_svg]:size-5",
          done ? "bg-good-soft text-good" : "bg-accent-soft text-accent-ink",
        )}
      >
        {done ? <Check /> : icon}
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 className="text-lg font-semibold">
            {n}. {title}
          </h2>
          <span className="text-sm text-ink-3">{time}</span>
        </div>
        <div className="mt-1 max-w-prose text-ink-2">{children}</div>
      </div>
      <Button
        size="sm"
        look="ghost"
        className="max-sm:col-start-2 max-sm:mt-2 max-sm:-ml-2 max-sm:justify-self-start"
        aria-pressed={done}
        onClick={() => onMark(id)}
      >
        {done ? "Done" : "Mark as done"}
      </Button>
    </li>
  );
}
