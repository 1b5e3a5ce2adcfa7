import type { Clock } from '#platform/data/clock.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { Reader, type Response } from 'mmdb-lib';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { plainAddress } from '../address.ts';

/** Where an address is, as the operator's files say it. */
export interface Place {
  /** ISO 3166: `DE`, or with the first subdivision `US-FL`; null where the files name none. */
  readonly region: string | null;
  /** An address of a VPN, a proxy, a hosting provider or Tor, which hides where somebody is. */
  readonly isAnonymous: boolean;
}

/** Places of addresses, from files in the MaxMind DB format 2.0. */
export interface Places {
  readonly of: (address: string) => Place;
  readonly close: () => void;
}

export interface PlacesOptions {
  /** File of countries and subdivisions: GeoIP2, GeoLite2, or another with their fields; null for none. */
  readonly database: string | null;
  /** File of anonymous networks (GeoIP2 Anonymous IP); null where `database` says it too, or nothing does. */
  readonly anonymousDatabase: string | null;
  readonly clock: Clock;
  /** A file that replaced another cannot be read: the earlier one stays in use. */
  readonly onError: (error: PlacesUnreadable) => void;
}

/** A file of places that cannot be used; the message is for the person who configured it. */
export class PlacesUnreadable extends Error {
  readonly file: string;

  constructor(file: string, reason: string) {
    super(`${file} ${reason}`);
    this.name = 'PlacesUnreadable';
    this.file = file;
  }
}

/** Publishers replace their files once or twice a week; an update of the file is in use within a minute. */
const CHECK_EVERY_MS = MINUTE_MS;
/** One request asks several times, and people make many; beyond these the oldest are dropped. */
const MAX_KNOWN = 4_096;
const FORMAT = 2;
/** Zeros between the search tree and the data. */
const SEPARATOR_BYTES = 16;
/** Fields of GeoIP2 Anonymous IP; the enterprise databases have them under `traits`. */
const ANONYMOUS = [
  'is_anonymous',
  'is_anonymous_vpn',
  'is_hosting_provider',
  'is_public_proxy',
  'is_residential_proxy',
  'is_tor_exit_node',
] as const;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (
  value: unknown,
): Fields => (typeof value === 'object' && value !== null ? value as Fields : {});

/** `US-FL` where the record names a subdivision, else `US`; null without a country. */
function regionIn(record: Fields): string | null {
  const country = fieldsOf(record['country'])['iso_code'];
  if (typeof country !== 'string') return null;
  const parts: unknown = record['subdivisions'];
  const first: unknown = Array.isArray(parts) ? parts[0] : null;
  const part = fieldsOf(first)['iso_code'];
  const whole = `${country}-${String(part)}`;
  if (typeof part === 'string' && REGION_CODE.test(whole)) return whole;
  return REGION_CODE.test(country) ? country : null;
}

const isAnonymousIn = (record: Fields): boolean =>
  ANONYMOUS.some((field) => record[field] === true || fieldsOf(record['traits'])[field] === true);

/** Reads a file in the format; throws {@link PlacesUnreadable} for anything else. */
function readerOf(file: string, bytes: Buffer): Reader<Response> {
  let reader: Reader<Response>;
  try {
    reader = new Reader<Response>(bytes);
  } catch {
    throw new PlacesUnreadable(file, 'is no database in the MaxMind DB format');
  }
  const { binaryFormatMajorVersion: version, searchTreeSize, nodeCount, ipVersion } = reader.metadata;
  const isWhole = version === FORMAT && Number.isInteger(nodeCount) && nodeCount > 0
    && searchTreeSize + SEPARATOR_BYTES < bytes.length && (ipVersion === 4 || ipVersion === 6);
  if (!isWhole) throw new PlacesUnreadable(file, 'is no whole database in the MaxMind DB format 2');
  return reader;
}

/** One file, which is read again when another has taken its place. */
class PlaceFile {
  readonly #file: string;
  readonly #onError: PlacesOptions['onError'];
  #reader: Reader<Response>;
  /** The file that is in memory, or that could not be read. */
  #version: string;
  #isDamaged = false;

  private constructor(
    file: string,
    onError: PlacesOptions['onError'],
    reader: Reader<Response>,
    version: string,
  ) {
    this.#file = file;
    this.#onError = onError;
    this.#reader = reader;
    this.#version = version;
  }

  static async open(file: string, onError: PlacesOptions['onError']): Promise<PlaceFile> {
    const version = await PlaceFile.#versionOf(file);
    return new PlaceFile(file, onError, await PlaceFile.#read(file), version);
  }

  static async #versionOf(file: string): Promise<string> {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      throw new PlacesUnreadable(file, 'cannot be read');
    }
  }

  static async #read(file: string): Promise<Reader<Response>> {
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch {
      throw new PlacesUnreadable(file, 'cannot be read');
    }
    return readerOf(file, bytes);
  }

  /** Reads the file if it is another one; resolves to whether it was. */
  async follow(): Promise<boolean> {
    try {
      const version = await PlaceFile.#versionOf(this.#file);
      if (version === this.#version) return false;
      this.#version = version;
      this.#reader = await PlaceFile.#read(this.#file);
      this.#isDamaged = false;
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  find(address: string): Fields {
    if (this.#reader.metadata.ipVersion === 4 && isIP(address) === 6) return {};
    try {
      return fieldsOf(this.#reader.get(address));
    } catch {
      // A damaged record: the place is unknown, which is the strict answer.
      this.#report(new PlacesUnreadable(this.#file, 'has damaged records'));
      return {};
    }
  }

  /** Once per file, as every request would repeat it. */
  #report(error: unknown): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    this.#onError(
      error instanceof PlacesUnreadable ? error : new PlacesUnreadable(this.#file, 'cannot be read'),
    );
  }
}

/**
 * Opens the files of places. Rejects with {@link PlacesUnreadable}. A file that is replaced later is used
 * within a minute; one that cannot be read then leaves the earlier one in use.
 */
export async function openPlaces(
  { database, anonymousDatabase, clock, onError }: PlacesOptions,
): Promise<Places> {
  const files = [database, anonymousDatabase].filter((file) => file !== null);
  const opened = await Promise.all(files.map((file) => PlaceFile.open(file, onError)));
  const known = new Map<string, Place>();
  let isFollowing = false;
  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    const changed = await Promise.all(opened.map((file) => file.follow()));
    if (changed.includes(true)) known.clear();
    isFollowing = false;
  };
  // Watching a file misses one that is renamed into its place on some file systems.
  const stop = clock.every('reads places again when their file was replaced', CHECK_EVERY_MS, () => {
    void follow();
  });
  const find = (address: string): Place => {
    if (isIP(address) === 0) return { region: null, isAnonymous: false };
    const records = opened.map((file) => file.find(address));
    return {
      region: records.map(regionIn).find((region) => region !== null) ?? null,
      isAnonymous: records.some(isAnonymousIn),
    };
  };
  return {
    of: (given) => {
      const address = plainAddress(given).replace(/%.*$/u, '');
      const before = known.get(address);
      if (before) return before;
      const place = find(address);
      const [oldest] = known.size >= MAX_KNOWN ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
      known.set(address, place);
      return place;
    },
    close: stop,
  };
}
