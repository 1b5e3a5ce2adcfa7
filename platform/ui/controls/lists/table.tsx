import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly text: string;
  readonly cell: (row: Row) => ReactNode;
  /** Amounts and counts stand right, in tabular figures. */
  readonly numeric?: boolean;
  /** Left out on phones, where another cell says the same in a second line. */
  readonly wide?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

/**
 * A dense table that scrolls sideways by itself on narrow screens. It is what hidden texts in it are placed
 * in: else they would widen the page.
 */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div className="sideways relative overflow-x-auto rounded-card border border-line" role="region"
      aria-label={caption}
      tabIndex={0}>
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, text, numeric, wide }) => (
              <th key={key} scope="col"
                className={`border-b border-line px-3 py-2 font-medium whitespace-nowrap text-muted
                  ${numeric ? 'text-right' : ''} ${wide ? 'max-sm:hidden' : ''}`}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-raised">
              {columns.map(({ key, cell, numeric, wide }) => (
                <td key={key}
                  className={`px-3 py-2 align-middle pointer-fine:[&_button]:min-h-8
                    ${numeric ? 'tabular text-right' : ''} ${wide ? 'max-sm:hidden' : ''}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
