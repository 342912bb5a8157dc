import {
  autocompletion,
  completionKeymap,
  type Completion,
  type CompletionContext,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { literal } from "@workflow-ui/forms";
import { useInspect } from "./inspect-context.ts";
import { typeWord, type Scope, type Source } from "./scope.ts";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The CEL type that is needed, such as `bool`. */
  readonly wanted?: string;
}

const FUNCTIONS: readonly Completion[] = [
  ["size", "size(list or text) → number", "How many items or characters"],
  ["has", "has(path) → yes/no", "Whether something is there"],
  ["string", "string(value) → text", "As text"],
  ["int", "int(value) → number", "As a whole number"],
  ["double", "double(value) → number", "As a number"],
  ["contains", "text.contains(part) → yes/no", "Whether a text holds another"],
  ["startsWith", "text.startsWith(part) → yes/no", "Whether a text begins with another"],
  ["endsWith", "text.endsWith(part) → yes/no", "Whether a text ends with another"],
  ["map", "list.map(x, expression) → list", "A list made from another"],
  ["filter", "list.filter(x, condition) → list", "The items for which a condition holds"],
  ["all", "list.all(x, condition) → yes/no", "Whether a condition holds for all items"],
  ["exists", "list.exists(x, condition) → yes/no", "Whether a condition holds for some item"],
].map(([label = "", detail = "", info = ""]) => ({
  label,
  detail,
  info,
  type: "function",
  apply: `${label}(`,
}));

const look = EditorView.theme({
  "&": {
    fontSize: "0.8125rem",
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    borderRadius: "0.4375rem",
    border: "1px solid var(--line-strong)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "0" },
  ".cm-scroller": { fontFamily: '"Geist Mono Variable", ui-monospace, monospace', lineHeight: "1.45" },
  ".cm-content": { padding: "0.4rem 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    color: "var(--ink)",
    borderRadius: "0.4rem",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--accent-ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
});

/** An expression with completion of everything that is known here, checked as it is typed. */
export function ExpressionEditor({ label, value, onChange, wanted }: Props) {
  const { scope } = useInspect();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ onChange, scope });
  useEffect(() => {
    latest.current = { onChange, scope };
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    // In a shadow root the editor adopts style sheets instead of writing style elements, which the policy forbids.
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          history(),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          autocompletion({ override: [(context) => complete(context, latest.current.scope)], icons: false }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // The editor is made once; later values come in through the next effect.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    const editor = view.current;
    const text = editor?.state.doc.toString();
    if (editor === null || text === undefined || text === value) return;
    editor.dispatch({ changes: { from: 0, to: text.length, insert: value } });
  }, [value]);
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
              : `Gives ${type}`
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
    return { from, options: [...roots.map((label) => ({ label, type: "variable" })), ...FUNCTIONS] };
  }
  return { from, options: [...members(scope.sources, path), ...FUNCTIONS.slice(5)] };
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
