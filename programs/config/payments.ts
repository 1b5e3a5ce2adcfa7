import type { Clock } from '#platform/data/clock.ts';
import type { Biller } from '#platform/payments/biller.ts';
import { billersFor, type BillerSettings } from '#platform/payments/billers.ts';
import { outsideWithin } from '#platform/payments/outside.ts';
import { simulatedAccounts } from '#platform/payments/simulators/accounts.ts';
import { openSimulators, type Simulators } from '#platform/payments/simulators/open.ts';
import { readFileSync } from 'node:fs';
import { ConfigInvalid, DEFAULT_SIMULATOR_PORT, type Config } from './config.ts';

/** A processor that has not answered by then counts as silent: the slowest ones promise 90 s and mean 10. */
const OUTSIDE_LIMIT_MS = 20_000;
/** The operator that every installation has, with accounts of its own at processors. */
const DEFAULT_OPERATOR = 1;

/** The payment processors of the sites of an installation. */
export interface Payments {
  readonly billersOf: (operatorId: number) => readonly Biller[];
  /** Origins whose pages may be framed by an operator's pages. */
  readonly framesOf: (operatorId: number) => readonly string[];
  /** Whether they are simulators: no money moves. */
  readonly isTestPayment: boolean;
  /** Where the simulators run, when they run here. */
  readonly simulators: string | null;
  readonly close: () => Promise<void>;
}

/** Accounts at processors, from a JSON file only the site can read. Throws {@link ConfigInvalid}. */
function accountsIn(file: string): BillerSettings {
  try {
    const accounts: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof accounts === 'object' && accounts !== null && !Array.isArray(accounts)) return accounts;
  } catch {
    // The content of the file is secret: the message has its name alone.
  }
  throw new ConfigInvalid([`BILLERS_FILE=${file} holds no JSON object of accounts, or cannot be read`]);
}

/** Applies `of` to a file's accounts. Throws {@link ConfigInvalid} if any page could then be framed. */
function inFile<T>(file: string, of: (accounts: BillerSettings) => T): T {
  const accounts = accountsIn(file);
  try {
    return of(accounts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigInvalid([`BILLERS_FILE=${file}: ${error.message}`]);
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Starts the simulators on their default port, or on any other if another demo has that one. */
async function startSimulators(config: Config, clock: Clock): Promise<Simulators> {
  const at = (port: number): Promise<Simulators> =>
    openSimulators({
      port,
      host: '127.0.0.1',
      clock,
      fetch,
      callback: (biller) => `http://127.0.0.1:${config.port}/callbacks/${biller}`,
      pages: (own) => `http://localhost:${own}`,
    });
  try {
    return await at(config.simulatorPort ?? DEFAULT_SIMULATOR_PORT);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (config.simulatorPort !== null) {
      throw new ConfigInvalid([`SIMULATOR_PORT=${config.simulatorPort} is used by another program`]);
    }
    return at(0);
  }
}

/**
 * The payment processors: the accounts of BILLERS_FILE; in a demo without that file, simulators, started by
 * the process that answers calls. Production without accounts sells nothing.
 */
export async function openPayments(config: Config, clock: Clock, isWeb: boolean): Promise<Payments> {
  const outside = outsideWithin(OUTSIDE_LIMIT_MS, clock);
  const of = (accounts: BillerSettings): Pick<Payments, 'billersOf' | 'framesOf'> => {
    const billers = billersFor(accounts, outside);
    const frames = [...new Set(billers.flatMap((biller) => biller.frames ?? []))];
    return {
      billersOf: (operatorId) => (operatorId === DEFAULT_OPERATOR ? billers : []),
      framesOf: (operatorId) => (operatorId === DEFAULT_OPERATOR ? frames : []),
    };
  };
  const none = { isTestPayment: false, simulators: null, close: async () => undefined };
  if (config.billersFile !== null) return { ...none, ...inFile(config.billersFile, of) };
  if (config.mode !== 'demo') return { ...none, ...of({}) };
  if (!isWeb) {
    const port = config.simulatorPort ?? DEFAULT_SIMULATOR_PORT;
    const accounts = simulatedAccounts(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
    return { ...none, isTestPayment: true, ...of(accounts) };
  }
  const simulators = await startSimulators(config, clock);
  return {
    isTestPayment: true,
    simulators: simulators.origin,
    ...of(simulators.accounts),
    close: () => simulators.close(),
  };
}
