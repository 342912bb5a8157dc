import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { linter, type Diagnostic } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

interface Props {
  readonly id?: string;
  readonly value: string;
  readonly label: string;
  readonly onChange?: (text: string) => void;
  /** True when the text typed so far says the same as `value`, so that the editor keeps its own formatting. */
  readonly same?: (text: string) => boolean;
  readonly readOnly?: boolean;
  readonly tall?: boolean;
  readonly plain?: boolean;
}

const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-atom)" },
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: [tags.punctuation, tags.brace, tags.squareBracket], color: "var(--ink-3)" },
]);

const look = EditorView.theme({
  "&": {
    fontSize: "0.8125rem",
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    borderRadius: "0.4375rem",
    border: "1px solid var(--line)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "0" },
  ".cm-scroller": {
    fontFamily: '"Geist Mono Variable", ui-monospace, monospace',
    lineHeight: "1.45",
    overflow: "auto",
  },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--ink-3)",
    border: "none",
    minWidth: "1.75rem",
  },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--accent) 6%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklch, var(--accent) 22%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in oklch, var(--accent) 18%, transparent)",
  },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "none", color: "var(--ink-2)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    color: "var(--ink)",
    borderRadius: "0.4rem",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

const parseProblems = jsonParseLinter();

/** What is wrong with JSON; an empty text and YAML are no bad JSON. */
function jsonProblems(view: EditorView): readonly Diagnostic[] {
  return /^\s*[[{"]/.test(view.state.sliceDoc(0, 200)) ? parseProblems(view) : [];
}

/**
 * A JSON editor. It lives in a shadow root because the page's content policy forbids style elements: in a shadow root
 * CodeMirror adopts constructed style sheets instead.
 */
export function CodeEditor({
  id,
  value,
  label,
  onChange,
  same,
  readOnly = false,
  tall = false,
  plain = false,
}: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ onChange, same });
  const editable = useRef(new Compartment());
  useEffect(() => {
    latest.current = { onChange, same };
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          plain
            ? []
            : [json(), linter(jsonProblems, { delay: 600 }), bracketMatching(), foldGutter(), lineNumbers()],
          history(),
          drawSelection(),
          indentOnInput(),
          highlightActiveLine(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          typingOverSelection,
          EditorView.contentAttributes.of({
            "aria-label": label,
            ...(readOnly && { "aria-readonly": "true" }),
          }),
          editable.current.of(EditorState.readOnly.of(readOnly)),
          // Tab leaves the editor as it leaves any field: a keyboard must never be caught here.
          keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !silent.has(update.view))
              latest.current.onChange?.(update.state.doc.toString());
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
    if (editor === null) return;
    const text = editor.state.doc.toString();
    if (text === value || latest.current.same?.(text) === true) return;
    silent.add(editor);
    editor.dispatch({ changes: { from: 0, to: text.length, insert: value } });
    silent.delete(editor);
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: editable.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);
  return (
    <div
      id={id}
      ref={host}
      data-code-editor
      className={
        tall
          ? "max-h-[40vh] min-h-40 overflow-auto rounded-lg sm:max-h-[70vh]"
          : "max-h-80 overflow-auto rounded-lg"
      }
    />
  );
}

/**
 * Typing over a selection: left to the browser, its editing engine would put in an element with a style attribute to
 * keep the colour of what was there, which the content policy refuses.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (
      event.inputType !== "insertText" ||
      event.data === null ||
      view.state.selection.main.empty ||
      view.state.readOnly
    )
      return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** Editors that are being written to by the page, not by the person. */
const silent = new WeakSet<EditorView>();
