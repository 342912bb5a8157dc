import {
  autocompletion,
  completionKeymap,
  type Completion,
  type CompletionContext,
} from "@codemirror/autocomplete";
import { StateField, type EditorState } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { literal } from "@workflow-ui/forms";
import { useCodeMirror } from "../../ui/use-code-mirror.ts";
import { aroundArgument, callAt, FUNCTIONS } from "./expression-help.ts";
import { useInspect } from "./inspect-context.ts";
import type { Scope, Source } from "./scope.ts";
import { expressionTypeWord, typeWord } from "./source-words.ts";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The CEL type that is needed, such as `bool`. */
  readonly wanted?: string;
}

const COMPLETIONS: readonly (Completion & { readonly isMember: boolean })[] = FUNCTIONS.map(
  ({ name, signature, about, isMember }) => ({
    label: name,
    detail: signature,
    info: about,
    type: "function",
    apply: `${name}(`,
    isMember,
  }),
);

const look = EditorView.theme({
  "&": { borderColor: "var(--line-strong)" },
  ".cm-content": { padding: "0.4rem 0" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--accent-ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
  ".cm-signature": { padding: "0.2rem 0.5rem", fontSize: "0.75rem" },
});

/** How the function that is being typed is called, with the argument at the cursor marked. */
const signatureHelp = StateField.define<Tooltip | null>({
  create: () => null,
  update: (shown, { docChanged, selection, state }) =>
    docChanged || selection !== undefined ? helpAt(state) : shown,
  provide: (field) => showTooltip.from(field),
});

function helpAt(state: EditorState): Tooltip | null {
  const call = callAt(state.doc.toString(), state.selection.main.head);
  if (call === null) return null;
  const [before, argument, after] = aroundArgument(call.known, call.argument);
  return {
    pos: call.from,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-signature";
      dom.setAttribute("role", "note");
      const strong = document.createElement("strong");
      strong.textContent = argument;
      dom.append(before, strong, after, ` – ${call.known.about}`);
      return { dom };
    },
  };
}

/** An expression with completion of everything that is known here, checked as it is typed. */
export function ExpressionEditor({ label, value, onChange, wanted }: Props) {
  const { scope } = useInspect();
  const latest = useRef(scope);
  useEffect(() => {
    latest.current = scope;
  });
  const host = useCodeMirror({
    value,
    label,
    onChange,
    extensions: () => [
      look,
      autocompletion({ override: [(context) => complete(context, latest.current)], icons: false }),
      signatureHelp,
      keymap.of(completionKeymap),
    ],
  });
  const { problem, type } = scope.check(value, wanted);
  const result = problem === "" ? scope.preview({ $expr: value }) : undefined;
  return (
    <div>
      <div ref={host} data-code-editor className="min-h-[34px] rounded-lg" />
      <p aria-live="polite" className={problem === "" ? "mt-1 text-xs text-ink-3" : "mt-1 text-sm text-bad"}>
        {problem !== ""
          ? problem
          : result === undefined
            ? type === "dyn" || type === ""
              ? ""
              : `Gives ${expressionTypeWord(type)}`
            : `Gives ${literal(result)} with the latest sample`}
      </p>
    </div>
  );
}

function complete(context: CompletionContext, scope: Scope) {
  const word = context.matchBefore(/[\w$.[\]"]*/);
  if (word === null || (word.text === "" && !context.explicit)) return null;
  const dot = word.text.lastIndexOf(".");
  const path = dot < 0 ? "" : word.text.slice(0, dot);
  const from = word.from + dot + 1;
  if (path === "") {
    const roots = [...new Set(scope.sources.map((source) => source.path.split(/[.[]/)[0] ?? ""))];
    return { from, options: [...roots.map((label) => ({ label, type: "variable" })), ...COMPLETIONS] };
  }
  return { from, options: [...members(scope.sources, path), ...COMPLETIONS.filter((item) => item.isMember)] };
}

/** What can follow a path: the next part of every source that begins with it. */
function members(sources: readonly Source[], path: string): readonly Completion[] {
  const found = new Map<string, Completion>();
  const walk = (list: readonly Source[], depth: number): void => {
    for (const source of list) {
      if (source.path.startsWith(`${path}.`)) {
        const rest = source.path.slice(path.length + 1);
        const label = rest.split(/[.[]/)[0] ?? "";
        const whole = rest === label;
        if (label !== "" && (whole || !found.has(label)))
          found.set(label, {
            label,
            type: "property",
            ...(whole && { detail: typeWord(source.schema, source.sample) }),
          });
      }
      if (depth < 7 && (path.startsWith(source.path) || source.path.startsWith(path)))
        walk(source.children(), depth + 1);
    }
  };
  walk(sources, 0);
  return [...found.values()];
}
