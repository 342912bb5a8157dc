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
import { Compartment, EditorState, Prec, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { JsonEditorProps } from "@workflow-ui/forms-react";
import { useCodeMirror } from "./use-code-mirror.ts";

interface Props extends JsonEditorProps {
  /** What may be written here, while nothing is. */
  readonly placeholder?: string;
  /** Called with Enter; true when that was all, and no new line begins. */
  readonly onEnter?: () => boolean;
}

const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-atom)" },
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: [tags.punctuation, tags.brace, tags.squareBracket], color: "var(--ink-3)" },
]);

const look = EditorView.theme({
  "&": { minHeight: "inherit" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--ink-3)",
    border: "none",
    minWidth: "1.75rem",
  },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--accent) 6%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklch, var(--accent) 22%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in oklch, var(--accent) 18%, transparent)",
  },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "none", color: "var(--ink-2)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

const parseProblems = jsonParseLinter();

/** A text of more than this is not parsed with every key that is typed in it. */
const MOST_LINTED = 1_000_000;

/** What is wrong with JSON; an empty text and YAML are no bad JSON. */
function jsonProblems(view: EditorView): readonly Diagnostic[] {
  if (view.state.doc.length > MOST_LINTED) return [];
  return /^\s*[[{"]/.test(view.state.sliceDoc(0, 200)) ? parseProblems(view) : [];
}

const colourful: Extension = [json(), bracketMatching(), foldGutter(), syntaxHighlighting(colours)];
const colourless: Extension = [];

/** A long text without line breaks is drawn thousands of tokens at a time: in colours that would hold up the page. */
function isColourful(doc: Text): boolean {
  return doc.length < 2_000 || doc.length / doc.lines < 500;
}

function inColours(doc: Text): Extension {
  const colour = new Compartment();
  return [
    colour.of(isColourful(doc) ? colourful : colourless),
    EditorState.transactionExtender.of((transaction) => {
      if (!transaction.docChanged) return null;
      const wanted = isColourful(transaction.newDoc) ? colourful : colourless;
      return colour.get(transaction.startState) === wanted ? null : { effects: colour.reconfigure(wanted) };
    }),
  ];
}

/** An editor for JSON. */
export function CodeEditor({ id, tall = false, placeholder: hint = "", onEnter, ...options }: Props) {
  const enter = useRef(onEnter);
  useEffect(() => {
    enter.current = onEnter;
  });
  const host = useCodeMirror({
    ...options,
    extensions: (doc) => [
      placeholder(hint),
      Prec.high(keymap.of([{ key: "Enter", run: () => enter.current?.() ?? false }])),
      inColours(doc),
      linter(jsonProblems, { delay: 600 }),
      lineNumbers(),
      drawSelection(),
      indentOnInput(),
      highlightActiveLine(),
      look,
      keymap.of([...foldKeymap, ...searchKeymap]),
    ],
  });
  return (
    <div
      id={id}
      ref={host}
      data-code-editor
      className={
        tall
          ? "max-h-[40vh] min-h-24 overflow-auto rounded-lg sm:max-h-[70vh]"
          : "max-h-80 overflow-auto rounded-lg"
      }
    />
  );
}
