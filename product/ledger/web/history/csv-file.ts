import { useCallback, useState } from 'react';
import type { InputOf } from '../../../../platform/contract/call.ts';
import { CallFailed, requestOf, type Problem } from '../../../../platform/contract/client/client.ts';
import { problemOf } from '../../../../platform/ui/calls/calls.ts';
import { UNREACHABLE } from '../../../../platform/http/browser.ts';
import { exportHistory } from '../../client.ts';

/** Parts of one file: what the call allows in a minute, less a few for whoever presses again. */
const MAX_PARTS = 25;
/** Spreadsheet programs take a file for UTF-8 only when it says so. */
const BYTE_ORDER_MARK = '\uFEFF';

type Filter = Pick<InputOf<typeof exportHistory>, 'kind' | 'month'>;

/** Asks for one part. */
export type AskPart = (path: string) => Promise<Response>;

/**
 * All lines of a filter in one text, part after part; `cut` when there are more parts than one file has.
 * Throws `CallFailed`.
 */
export async function wholeFile(
  filter: Filter, ask: AskPart,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  let text = '';
  let after: number | undefined;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const response = await ask(requestOf(exportHistory, { ...filter, after }).path);
    if (!response.ok) throw new CallFailed(await response.json() as Problem);
    const body = await response.text();
    // The names of the columns stand once, at the top.
    text += part === 0 ? body : body.slice(body.indexOf('\n') + 1);
    const next = /[?&]after=(\d+)[^>]*>; rel="next"/u.exec(response.headers.get('link') ?? '')?.[1];
    if (next === undefined) return { text, cut: false };
    after = Number(next);
  }
  return { text, cut: true };
}

const askHere: AskPart = async (path) => {
  try {
    return await fetch(path, { credentials: 'same-origin' });
  } catch {
    throw new CallFailed({
      status: 0, error: UNREACHABLE, errorType: UNREACHABLE, error_type: UNREACHABLE, message: '', detail: '',
      type: 'about:blank', title: UNREACHABLE,
    });
  }
};

/** Hands a text to the browser as a file to save. */
function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export interface CsvFile {
  readonly busy: boolean;
  readonly problem: Problem | null;
  /** Saves the file; answers whether lines were left out, null when it failed. */
  readonly download: (filter: Filter) => Promise<boolean | null>;
}

/** The own history as a file on the person's machine. */
export function useCsvFile(): CsvFile {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const download = useCallback(async (filter: Filter) => {
    setBusy(true);
    setProblem(null);
    try {
      const { text, cut } = await wholeFile(filter, askHere);
      save(`tokens-${filter.month ?? 'year'}.csv`, text);
      return cut;
    } catch (error) {
      setProblem(problemOf(error));
      return null;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, problem, download };
}
