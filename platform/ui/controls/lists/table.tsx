import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly text: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns amounts and counts right, in tabular figures. */
  readonly numeric?: boolean;
  /** Left out on phones, where another cell says the same in a second line. */
  readonly wide?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** On phones each row is a block with a line for each cell, so that no amount is out of sight. */
  readonly blocks?: boolean;
}

/** Classes of a table whose rows are blocks on phones; each cell is preceded by its label. */
const BLOCKS = {
  table: 'max-sm:block',
  head: 'max-sm:hidden',
  row: 'max-sm:block max-sm:px-3 max-sm:py-2',
  cell: `max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:px-0 max-sm:py-1
    max-sm:text-right max-sm:before:shrink-0 max-sm:before:text-left max-sm:before:text-muted
    max-sm:before:content-[attr(data-label)]`,
} as const;
const NONE = { table: '', head: '', row: '', cell: '' } as const;

/**
 * A dense table that scrolls sideways by itself on narrow screens. It is also the containing block of the
 * hidden texts in it, which would otherwise widen the page.
 */
export function Table<Row>({ caption, columns, rows, keyOf, blocks = false }: TableProps<Row>) {
  const classes = blocks ? BLOCKS : NONE;
  return (
    <div
      className="sideways relative overflow-x-auto rounded-card border border-line"
      role="region"
      aria-label={caption}
      tabIndex={0}
    >
      <table className={`w-full text-left text-sm ${classes.table}`}>
        <caption className="sr-only">{caption}</caption>
        <thead className={classes.head}>
          <tr>
            {columns.map(({ key, text, numeric, wide }) => (
              <th
                key={key}
                scope="col"
                className={`border-b border-line px-3 py-2 font-medium whitespace-nowrap text-muted
                  ${numeric ? 'text-right' : ''} ${wide ? 'max-sm:hidden' : ''}`}
              >
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={classes.table}>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`border-b border-line last:border-0 hover:bg-raised ${classes.row}`}
            >
              {columns.map(({ key, text, cell, numeric, wide }) => (
                <td
                  key={key}
                  data-label={blocks ? text : undefined}
                  className={`px-3 py-2 align-middle pointer-fine:[&_button]:min-h-8
                    ${numeric ? 'tabular text-right' : ''} ${wide ? 'max-sm:hidden' : classes.cell}`}
                >
                  {blocks ? <div className="min-w-0">{cell(row)}</div> : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
