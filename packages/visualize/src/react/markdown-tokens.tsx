import type { MarkedToken, Token, Tokens } from 'marked';
import type { ReactElement, ReactNode } from 'react';
import { CodeText } from './code-text.tsx';

/** Depth of quotes and lists from which a text is shown as it is written. */
const DEEPEST = 12;

/** Shows tokens of Markdown. A token of an unknown kind is shown as it is written. */
export function MarkdownTokens({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[] | undefined;
  readonly depth?: number;
}): ReactElement {
  return (
    <>
      {tokens?.map((token, index) => (
        <Shown key={index} token={token as MarkedToken} depth={depth} />
      ))}
    </>
  );
}

interface ShownProps {
  readonly token: MarkedToken;
  readonly depth: number;
}

function Shown({ token, depth }: ShownProps): ReactNode {
  if (depth > DEEPEST) return token.raw;
  const inside = (tokens: readonly Token[] | undefined): ReactElement => (
    <MarkdownTokens tokens={tokens} depth={depth + 1} />
  );
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>;
    case 'heading':
      // a heading of a message is no heading of the page
      return <p className="conv-heading">{inside(token.tokens)}</p>;
    case 'code':
      return (
        <pre className="conv-output">
          <code>
            <CodeText text={token.text} language={token.lang?.split(/[\s,{]/)[0]?.toLowerCase() || undefined} />
          </code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens ? inside(token.tokens) : token.text;
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>;
    case 'em':
      return <em>{inside(token.tokens)}</em>;
    case 'del':
      return <del>{inside(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return token.text;
    case 'link':
      return <Link href={token.href}>{inside(token.tokens)}</Link>;
    case 'image':
      // loading it would tell its server who reads this
      return (
        <span className="conv-quiet">{`image${token.text === '' ? '' : ` “${token.text}”`} at ${token.href}`}</span>
      );
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'html':
    case 'list_item':
      return token.raw;
    default:
      return (token as Token).raw;
  }
}

/** Schemes of links that a person may follow. A link without a scheme would lead into this page, so it is shown as text. */
const SCHEMES = /^(?:https?|mailto):/i;

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactElement {
  if (!SCHEMES.test(href)) return <span title={href}>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }): ReactElement {
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      <MarkdownTokens tokens={item.tokens} depth={depth + 1} />
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }): ReactElement {
  return (
    <div className="conv-table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col">
                <MarkdownTokens tokens={cell.tokens} depth={depth + 1} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, index) => (
                <td key={index}>
                  <MarkdownTokens tokens={cell.tokens} depth={depth + 1} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
