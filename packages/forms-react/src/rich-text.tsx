import { parseMarkdown, type Block, type Inline } from "@workflow-ui/forms";
import { Fragment, type ReactNode } from "react";

/** Markdown of others as elements: nothing in it becomes markup, and only web addresses become links. */
export function richText(text: string): ReactNode {
  return parseMarkdown(text).map((block, at) => <Fragment key={at}>{drawn(block)}</Fragment>);
}

function drawn(block: Block): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return <p className="whitespace-pre-line">{runs(block.children)}</p>;
    case "heading":
      return <p className="font-semibold">{runs(block.children)}</p>;
    case "quote":
      return <blockquote className="border-s-2 border-line ps-2">{runs(block.children)}</blockquote>;
    case "code":
      return (
        <pre className="max-w-full overflow-x-auto rounded-md bg-sunken px-2 py-1 font-mono text-xs">
          {block.text}
        </pre>
      );
    case "list": {
      const items = block.items.map((item, at) => <li key={at}>{runs(item)}</li>);
      return block.ordered ? (
        <ol className="list-decimal ps-5">{items}</ol>
      ) : (
        <ul className="list-disc ps-5">{items}</ul>
      );
    }
  }
}

function runs(inlines: readonly Inline[]): ReactNode {
  return inlines.map((inline, at) => <Fragment key={at}>{run(inline)}</Fragment>);
}

function run(inline: Inline): ReactNode {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "code":
      return <code className="rounded bg-sunken px-1 font-mono text-[0.92em]">{inline.text}</code>;
    case "strong":
      return <strong className="font-semibold">{runs(inline.children)}</strong>;
    case "em":
      return <em>{runs(inline.children)}</em>;
    case "link":
      return (
        <a
          href={inline.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="text-accent-ink underline"
        >
          {runs(inline.children)}
        </a>
      );
  }
}
