import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Compartment, EditorState, Text, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef, type RefObject } from "react";

interface Options {
  readonly value: string;
  readonly label: string;
  readonly onChange?: ((text: string) => void) | undefined;
  /** True when the text typed so far says the same as `value`, so that the editor keeps its own formatting. */
  readonly same?: ((text: string) => boolean) | undefined;
  readonly readOnly?: boolean;
  /** What this kind of editor has besides; asked for once. */
  readonly extensions: (doc: Text) => Extension;
}

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
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    color: "var(--ink)",
    borderRadius: "0.4rem",
  },
});

/**
 * A CodeMirror editor in an element. It lives in a shadow root because the page's content policy forbids style elements:
 * in a shadow root CodeMirror adopts constructed style sheets instead. Tab leaves it, as it leaves any field.
 */
export function useCodeMirror(options: Options): RefObject<HTMLDivElement | null> {
  const { value, label, readOnly = false } = options;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(options);
  const editable = useRef(new Compartment());
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
    const cancel = inTurn(() => {
      const doc = Text.of(latest.current.value.split(/\r\n?|\n/));
      view.current = new EditorView({
        root,
        parent: root,
        state: EditorState.create({
          doc,
          extensions: [
            latest.current.extensions(doc),
            history(),
            look,
            EditorView.lineWrapping,
            typingOverSelection,
            EditorView.contentAttributes.of({
              "aria-label": label,
              ...(readOnly && { "aria-readonly": "true" }),
            }),
            editable.current.of(EditorState.readOnly.of(latest.current.readOnly ?? false)),
            keymap.of([...defaultKeymap, ...historyKeymap]),
            EditorView.updateListener.of((update) => {
              if (update.docChanged && !silent.has(update.view))
                latest.current.onChange?.(update.state.doc.toString());
            }),
          ],
        }),
      });
    });
    return () => {
      cancel();
      view.current?.destroy();
      view.current = null;
    };
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
  return host;
}

const waiting: (() => void)[] = [];
let isTurnTaken = false;

/** Makes one editor in a task of the page: the dozens that one form can have would hold it up together. */
function inTurn(make: () => void): () => void {
  if (isTurnTaken) waiting.push(make);
  else {
    isTurnTaken = true;
    setTimeout(yieldToEventLoop);
    make();
  }
  return () => {
    const at = waiting.indexOf(make);
    if (at !== -1) waiting.splice(at, 1);
  };
}

function yieldToEventLoop(): void {
  const make = waiting.shift();
  isTurnTaken = make !== undefined;
  if (make === undefined) return;
  setTimeout(yieldToEventLoop);
  make();
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
