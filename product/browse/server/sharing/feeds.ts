import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { inXml } from '#platform/text/shown/xml.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { nextTimes, type NextTime } from '#product/performers/rules.ts';
import { BY_LANGUAGE } from '#product/site/rules.ts';
import { getCalendar, getLiveFeed, notForEverybody } from '../../contract/sharing.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import { escapeHtml } from '../../rules/seo.ts';
import { CALENDAR_WEEKS, FEED_ITEMS } from '../../rules/sharing.ts';
import type { Browsing } from '../dependencies.ts';
import { addressOf, cachedFor, publicEntry, publicSees } from './public.ts';

const FEED_SECONDS = 60;
const CALENDAR_SECONDS = 3_600;
const WEEK_MS = 7 * DAY_MS;

export const liveFeedHandlers = (browsing: Browsing): CallHandler[] => [
  liveFeedHandler(browsing),
  calendarHandler(browsing),
];

function liveFeedHandler({ site, compliance, text, directoryOf }: Browsing): CallHandler {
  const sees = publicSees(compliance);
  return handleCall(getLiveFeed)(async (_input, { scope, origin, locale }) => {
    const view = await site.viewOf(scope, origin);
    const live: (DirectoryEntry & { readonly startedAt: number })[] = [];
    for (const entry of (await directoryOf(scope.operatorId)).online()) {
      const { startedAt } = entry;
      if (startedAt !== null && sees(entry)) live.push({ ...entry, startedAt });
    }
    live.sort((a, b) => b.startedAt - a.startedAt || a.id - b.id);
    const values = { site: view.display_name };
    const items = live.slice(0, FEED_ITEMS).map(({ username, displayName, topic, startedAt }) => {
      const link = addressOf(view, `/${encodeURIComponent(username)}`);
      const title = text(locale, 'browse:seo.feedItem', { name: displayName });
      // Readers parse a description as HTML (RSS 2.0, `item`), so the topic is escaped as text there too.
      return `<item><title>${inXml(title)}</title><link>${inXml(link)}</link>`
        + `<guid isPermaLink="false">${inXml(`${username}-${startedAt}`)}</guid>`
        + `<pubDate>${new Date(startedAt).toUTCString()}</pubDate>`
        + `<description>${inXml(escapeHtml(topic))}</description></item>`;
    });
    const body = [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>',
      `<title>${inXml(text(locale, 'browse:seo.feedTitle', values))}</title>`,
      `<link>${inXml(addressOf(view, '/'))}</link>`,
      `<description>${inXml(text(locale, 'browse:seo.feedText', values))}</description>`,
      `<language>${locale}</language>`,
      `<atom:link href="${inXml(addressOf(view, '/feed.rss'))}" rel="self" type="application/rss+xml"/>`,
      ...items,
      '</channel></rss>',
      '',
    ].join('\n');
    return { status: 200, headers: { ...cachedFor(FEED_SECONDS), ...BY_LANGUAGE }, body };
  });
}

function calendarHandler(browsing: Browsing): CallHandler {
  const { data, site, performers, text } = browsing;
  return handleCall(getCalendar)(async ({ username }, { scope, origin, locale, refuse }) => {
    const entry = await publicEntry(browsing, scope, username);
    if (!entry) return refuse(notForEverybody);
    const view = await site.viewOf(scope, origin);
    const said = await data.tx(scope, (tx) => performers.listingsOf(tx, [entry.id]));
    const { schedule = [], time_zone: timeZone = null } = said.get(entry.id) ?? {};
    const now = data.clock.now().getTime();
    const summary = text(locale, 'browse:seo.calendarItem', {
      name: entry.displayName,
      site: view.display_name,
    });
    const url = addressOf(view, `/${encodeURIComponent(entry.username)}`);
    const lines = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Candela//Schedule//EN',
      'METHOD:PUBLISH',
      `X-WR-CALNAME:${inCalendar(summary)}`,
      'REFRESH-INTERVAL;VALUE=DURATION:P1D',
      ...UTC_ZONE,
      ...eventsOf(timesAhead(schedule, timeZone, now), now).flatMap(({ startsAt, endsAt, key, rule }) => [
        'BEGIN:VEVENT',
        `UID:${entry.username}-${key}@${view.domain_name}`,
        `DTSTAMP:${stampOf(now)}`,
        `DTSTART:${stampOf(startsAt)}`,
        `DTEND:${stampOf(endsAt)}`,
        ...rule,
        `SUMMARY:${inCalendar(summary)}`,
        `URL:${url}`,
        'END:VEVENT',
      ]),
      'END:VCALENDAR',
      '',
    ];
    const headers = {
      ...cachedFor(CALENDAR_SECONDS),
      ...BY_LANGUAGE,
      'content-disposition': `inline; filename="${entry.username}.ics"`,
    };
    return { status: 200, headers, body: lines.map(folded).join('\r\n') };
  });
}

/** A calendar needs a component (RFC 5545 §3.4), even where nothing is planned: the time zone. */
const UTC_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'TZNAME:UTC',
  'END:STANDARD',
  'END:VTIMEZONE',
];

interface CalendarEvent extends NextTime {
  /** Identifies the event among the performer's, and stays the same when the calendar is read again. */
  readonly key: string;
  readonly rule: readonly string[];
}

/** Times as events, with adjacent ones joined; a performer who is always live has one daily event. */
function eventsOf(times: readonly NextTime[], now: number): CalendarEvent[] {
  const events: CalendarEvent[] = [];
  for (const { startsAt, endsAt } of times) {
    const last = events.at(-1);
    if (last && startsAt <= last.endsAt) {
      events[events.length - 1] = { ...last, endsAt: Math.max(last.endsAt, endsAt) };
    } else events.push({ startsAt, endsAt, key: String(startsAt), rule: [] });
  }
  const [first] = events;
  if (!first || first.startsAt > now || first.endsAt < now + WEEK_MS) return events;
  const today = now - (now % DAY_MS);
  return [{ startsAt: today, endsAt: today + DAY_MS, key: 'always', rule: ['RRULE:FREQ=DAILY'] }];
}

/** The times of the next weeks without duplicates: one that spans a Sunday night is in two of them. */
function timesAhead(
  schedule: Parameters<typeof nextTimes>[0],
  timeZone: string | null,
  now: number,
): readonly NextTime[] {
  const times = new Map<number, NextTime>();
  for (let week = 0; week < CALENDAR_WEEKS; week += 1) {
    for (const time of weekOf(schedule, timeZone, now + week * WEEK_MS)) times.set(time.startsAt, time);
  }
  return [...times.values()].sort((a, b) => a.startsAt - b.startsAt);
}

/** `nextTimes` returns only a few, so this calls it again from the end of the last one, for a week. */
function weekOf(
  schedule: Parameters<typeof nextTimes>[0],
  timeZone: string | null,
  from: number,
): readonly NextTime[] {
  const times: NextTime[] = [];
  let since = from;
  while (since < from + WEEK_MS) {
    const next = nextTimes(schedule, timeZone, since).filter(({ endsAt }) => endsAt > since);
    const last = next.at(-1);
    if (!last) break;
    times.push(...next.filter(({ startsAt }) => startsAt < from + WEEK_MS));
    since = last.endsAt;
  }
  return times;
}

/** RFC 5545 §3.3.5, in UTC. */
const stampOf = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/gu, '');

/** RFC 5545 §3.3.11: control characters are removed, and special characters escaped. */
const inCalendar = (said: string): string =>
  said.replaceAll(/(?![\r\n]|\u200C|\u200D|\u2068|\u2069)\p{C}/gu, '')
    .replaceAll(/[\\;,]/gu, (letter) => `\\${letter}`).replaceAll(/\s*[\r\n]+\s*/gu, ' ');

const MAX_LINE_BYTES = 75;

/** Lines of at most 75 bytes; continuation lines begin with a space (RFC 5545 §3.1). */
function folded(line: string): string {
  const lines: string[] = [];
  let current = '';
  for (const letter of line) {
    if (Buffer.byteLength(current + letter) > MAX_LINE_BYTES) {
      lines.push(current);
      current = ' ';
    }
    current += letter;
  }
  return [...lines, current].join('\r\n');
}
