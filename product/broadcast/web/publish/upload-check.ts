import { useCall } from '#platform/ui/calls/calls.ts';
import { useCallback, useRef, useState } from 'react';
import { checkUpload } from '../../client.ts';
import {
  MAX_UPLOAD_PARTS,
  UPLOAD_CHECK_MS,
  UPLOAD_FIRST_BYTES,
  UPLOAD_PART_BYTES,
  UPLOAD_SLOW_MS,
} from '../../rules/upload.ts';

/** Speed of a line in kbit/s, from bytes sent and the time that took. */
const kilobitsOf = (bytes: number, ms: number): number => Math.round((bytes * 8) / Math.max(ms, 1));

/** Sends one part; resolves to the time it took, in ms. */
type SendPart = (bytes: number) => Promise<number>;

/** Upload in kbit/s: ignores the first part, which finds the line idle, unless that part is slow. */
export async function measureUpload(send: SendPart): Promise<number> {
  const first = await send(UPLOAD_FIRST_BYTES);
  if (first >= UPLOAD_SLOW_MS) return kilobitsOf(UPLOAD_FIRST_BYTES, first);
  let [bytes, ms] = [0, 0];
  for (let part = 0; part < MAX_UPLOAD_PARTS && ms < UPLOAD_CHECK_MS; part += 1) {
    ms += await send(UPLOAD_PART_BYTES);
    bytes += UPLOAD_PART_BYTES;
  }
  return kilobitsOf(bytes, ms);
}

export interface UploadCheck {
  /** Null until measured. */
  readonly kilobits: number | null;
  readonly busy: boolean;
  readonly failed: boolean;
  /** Resolves to the measurement; null when it failed. */
  readonly run: () => Promise<number | null>;
}

/** The upload of this browser to the site, measured on request. */
export function useUploadCheck(): UploadCheck {
  const call = useCall();
  const [state, setState] = useState<Omit<UploadCheck, 'run'>>(
    { kilobits: null, busy: false, failed: false },
  );
  const isRunning = useRef(false);
  const run = useCallback(async () => {
    if (isRunning.current) return null;
    isRunning.current = true;
    setState((before) => ({ ...before, busy: true, failed: false }));
    try {
      const kilobits = await measureUpload(async (bytes) => {
        const data = 'x'.repeat(bytes);
        const startedAt = performance.now();
        await call(checkUpload, { data });
        return performance.now() - startedAt;
      });
      setState({ kilobits, busy: false, failed: false });
      return kilobits;
    } catch {
      setState((before) => ({ ...before, busy: false, failed: true }));
      return null;
    } finally {
      isRunning.current = false;
    }
  }, [call]);
  return { ...state, run };
}
