/** A link to another page of the site (its path, with or without a heading), to the web, or to a file of the repository. */
export interface DocLink {
  readonly link: readonly Inline[];
  readonly page?: string;
  readonly href?: string;
  readonly file?: string;
}

/** A run of text of a documentation page. */
export type Inline =
  | string
  | { readonly code: string }
  | { readonly strong: readonly Inline[] }
  | { readonly em: readonly Inline[] }
  | DocLink;

/** A block of a documentation page. */
export type Block =
  | { readonly heading: readonly Inline[]; readonly level: number; readonly id: string }
  | { readonly text: readonly Inline[] }
  | { readonly quote: readonly Inline[] }
  | { readonly code: string; readonly language: string }
  | { readonly items: readonly (readonly Block[])[]; readonly ordered: boolean }
  | {
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

/** A page: its blocks without the first heading, which is the title. */
export interface DocPage {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** What the search looks through: the text under one heading. */
export interface DocSection {
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** A group of the contents, as docs/README.md has them. */
export interface DocGroup {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}
