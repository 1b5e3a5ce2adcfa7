import { handleCall, type CallHandler, type DeadlineHandler, type Slice } from '#platform/contract/bind.ts';
import type { Scope } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import Bowser from 'bowser';
import { createHash } from 'node:crypto';
import {
  listClientLines,
  listClientReports,
  logPurchase,
  noSuchPerson,
  remoteLoggingOff,
  reportClientError,
  reportToast,
  sendConsole,
  sendLogs,
  setRemoteLogging,
} from './contract.ts';
import {
  BATCHES_PER_PAGE,
  codeFrom,
  codeOf,
  cursorOf,
  cursorText,
  LINE_DAYS,
  MAX_LINE_LENGTH,
  MAX_STORED_DETAIL_LENGTH,
  MAX_STORED_MESSAGE_LENGTH,
  redacted,
  REMOTE_LOGGING_MS,
  REPORT_DAYS,
  REPORTS_PER_PAGE,
  signatureOf,
  SWEEP_MS,
  timeOf,
  versionOf,
  type Source,
} from './rules.ts';
import { destinationOf, pageOf } from './rules/pages.ts';
import {
  deleteOld,
  dropRarest,
  hasRows,
  insertBatch,
  saveReport,
  selectBatches,
  selectReports,
  type NewReport,
  type ReportRow,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';

/** Nothing is offered to later slices yet. */
export type ClientLogsService = Readonly<Record<string, never>>;

interface ClientLogsDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
}

const SWEEP = 'client-logs.sweep';
const REMOTE_ENDS = 'client-logs.remoteEnds';
const done = { success: true } as const;

const stored = (text: string, maxLength: number): string => redacted(text, maxLength, pageOf);
const codeFor = (signature: string): string => codeOf(createHash('sha256').update(signature).digest());

/** Names of the browser and system, with the browser's major version. */
function browserOf(userAgent: string): string {
  const { browser, os } = Bowser.parse(userAgent || '-');
  const [major = ''] = (browser.version ?? '').split('.');
  return [browser.name, major, os.name].filter(Boolean).join(' ').slice(0, 60);
}

/** From the first row on, old rows are deleted once a day. */
async function sweeps(tx: Tx): Promise<void> {
  if (await hasRows(tx)) return;
  await tx.schedule({ kind: SWEEP, key: 'all', at: new Date(tx.now.getTime() + SWEEP_MS) });
}

async function saves(tx: Tx, report: NewReport): Promise<void> {
  await sweeps(tx);
  if (await saveReport(tx, report)) await dropRarest(tx);
}

async function savesLines(
  data: Data,
  scope: Scope,
  personId: number,
  source: Source,
  lines: readonly string[],
): Promise<void> {
  await data.tx(scope, async (tx) => {
    await sweeps(tx);
    await insertBatch(tx, personId, source, lines.map((line) => stored(line, MAX_LINE_LENGTH)));
  });
}

/** Calls by which pages report about themselves. */
const reportHandlers = (data: Data): CallHandler[] => [
  handleCall(reportClientError)(async (input, { scope, userAgent }) => {
    const { clientVersion, errorMessage, stack, time, url } = input;
    const message = stored(errorMessage, MAX_STORED_MESSAGE_LENGTH);
    const detail = stored(stack, MAX_STORED_DETAIL_LENGTH);
    const code = codeFor(signatureOf('error', message, detail));
    await data.tx(scope, (tx) =>
      saves(tx, {
        kind: 'error',
        code,
        message,
        detail,
        page: pageOf(url),
        version: versionOf(clientVersion),
        browser: browserOf(userAgent),
        browserTime: timeOf(time),
      }));
    return { ...done, code };
  }),
  handleCall(reportToast)(async ({ appearance, content, title, url }, { scope, userAgent, consent }) => {
    if (!consent.statistics) return done;
    const [message, heading] = [content, title].map((text) => stored(text, MAX_STORED_MESSAGE_LENGTH));
    const detail = [appearance, heading].filter(Boolean).join(': ');
    const code = codeFor(signatureOf('toast', `${detail}\n${message}`, ''));
    await data.tx(scope, (tx) =>
      saves(tx, {
        kind: 'toast',
        code,
        message: message ?? '',
        detail,
        page: pageOf(url),
        version: null,
        browser: browserOf(userAgent),
      }));
    return done;
  }),
  handleCall(logPurchase)(async ({ link }, { scope, userAgent, consent }) => {
    if (!consent.statistics) return done;
    const message = destinationOf(link);
    await data.tx(scope, (tx) =>
      saves(tx, {
        kind: 'purchase',
        code: codeFor(`purchase\n${message}`),
        message,
        detail: '',
        page: '',
        version: null,
        browser: browserOf(userAgent),
      }));
    return done;
  }),
  handleCall(sendLogs)(async ({ logs, on_request: isAskedFor }, { scope, personId, consent }) => {
    if (consent.statistics || isAskedFor === true) await savesLines(data, scope, personId, 'log', logs);
    return done;
  }),
  handleCall(sendConsole)(async ({ lines }, { scope, caller, personId, consent, refuse }) => {
    if (!caller.roles.includes('remote_logging') || !consent.statistics) return refuse(remoteLoggingOff);
    await savesLines(data, scope, personId, 'console', lines.map(({ level, text }) => `${level}: ${text}`));
    return done;
  }),
];

const reportView = ({ first_at: first, last_at: last, browser_time: time, ...row }: ReportRow) => ({
  id: row.id,
  kind: row.kind,
  code: row.code,
  message: row.message,
  detail: row.detail,
  page: row.page,
  versions: row.versions,
  browsers: row.browsers,
  count: row.count,
  first_at: first.toISOString(),
  last_at: last.toISOString(),
  browser_time: time?.toISOString() ?? null,
});

/** Calls by which admins read reports, and turn remote logging on and off. */
const adminHandlers = ({ data, accounts }: ClientLogsDependencies): CallHandler[] => [
  handleCall(listClientReports)(async ({ kind, code, before }, { scope }) => {
    const wanted = code === undefined ? null : codeFrom(code);
    if (code !== undefined && wanted === null) return { reports: [], next: null };
    const rows = await data.tx(scope, (tx) =>
      selectReports(tx, {
        kind: kind ?? null,
        code: wanted,
        before: before === undefined ? null : cursorOf(before),
      }));
    const shown = rows.slice(0, REPORTS_PER_PAGE);
    const last = shown.at(-1);
    return {
      reports: shown.map(reportView),
      next: last && rows.length > REPORTS_PER_PAGE ? cursorText({ at: last.last_at, id: last.id }) : null,
    };
  }),
  handleCall(listClientLines)(async ({ before }, { scope }) =>
    data.tx(scope, async (tx) => {
      const rows = await selectBatches(tx, before ?? null);
      const people = await accounts.findMany(tx, [...new Set(rows.map(({ person_id: id }) => id))]);
      return {
        batches: rows.map(({ id, person_id: personId, source, lines, at }) => ({
          id,
          source,
          lines,
          username: people.get(personId)?.username ?? null,
          at: at.toISOString(),
        })),
        next: rows.length === BATCHES_PER_PAGE ? (rows.at(-1)?.id ?? null) : null,
      };
    })
  ),
  handleCall(setRemoteLogging)(async ({ username, on, reason }, { scope, caller, refuse }) =>
    data.tx(scope, async (tx) => {
      const person = await accounts.findByUsername(tx, username.trim().toLowerCase());
      if (!person) return refuse(noSuchPerson);
      const key = String(person.id);
      const until = on ? new Date(tx.now.getTime() + REMOTE_LOGGING_MS) : null;
      await accounts.setRemoteLogging(tx, person.id, on);
      if (until) await tx.schedule({ kind: REMOTE_ENDS, key, at: until });
      else await tx.unschedule(REMOTE_ENDS, key);
      await tx.audit({
        action: setRemoteLogging.name,
        actorId: caller.personId,
        subject: `person:${key}`,
        reason,
        detail: { on },
      });
      return { username: person.username, remote_logging: on, until: until?.toISOString() ?? null };
    })
  ),
];

const deadlinesOf = ({ data, accounts }: ClientLogsDependencies): DeadlineHandler[] => [
  {
    kind: SWEEP,
    handle: ({ operatorId, key }) =>
      data.tx({ operatorId }, async (tx) => {
        const before = (days: number): Date => new Date(tx.now.getTime() - days * DAY_MS);
        await deleteOld(tx, { reports: before(REPORT_DAYS), batches: before(LINE_DAYS) });
        // Scheduled even if nothing is left, because a report that arrives meanwhile would not schedule it.
        await tx.schedule({ kind: SWEEP, key, at: new Date(tx.now.getTime() + SWEEP_MS) });
      }),
  },
  {
    kind: REMOTE_ENDS,
    handle: ({ operatorId, key }) =>
      data.tx({ operatorId }, (tx) => accounts.setRemoteLogging(tx, Number(key), false)),
  },
];

/**
 * Reports from browsers: errors, toasts, notes, console lines, purchases; and the admin page that shows them.
 */
export function clientLogsSlice(deps: ClientLogsDependencies): Slice<ClientLogsService> {
  return {
    name: 'client-logs',
    service: {},
    extensions: [implement(personalData, ownRows)],
    callHandlers: [...reportHandlers(deps.data), ...adminHandlers(deps)],
    deadlineHandlers: deadlinesOf(deps),
  };
}
