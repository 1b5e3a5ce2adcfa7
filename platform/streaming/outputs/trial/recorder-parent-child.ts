/** A program that records as a site does, and is killed while it does. Tickets come from the test. */
import { once } from 'node:events';
import { EngineRefused, type LocalTicket } from '../../engine.ts';
import { createOutputs } from '../media-outputs.ts';

interface Order {
  readonly directory: string;
  readonly file: string;
}

/** Its messages: that it wants a ticket, or the id of the process that records. */
type RecorderNews = 'ticket' | number;

async function askTicket(): Promise<LocalTicket> {
  process.send!('ticket' satisfies RecorderNews);
  const [ticket] = await once(process, 'message') as [LocalTicket];
  return ticket;
}

async function record({ directory, file }: Order): Promise<void> {
  const outputs = await createOutputs({
    directory,
    local: {
      tap: askTicket,
      feed: () => Promise.reject(new EngineRefused('unavailable', 'nothing is published here')),
      end: async () => false,
    },
  });
  await outputs.record('recorded', { file, maxBytes: 1e9, maxMs: 1e9 });
  process.send!([...outputs.pids().recordings.values()][0]! satisfies RecorderNews);
}

process.once('message', (order) => void record(order as Order));
