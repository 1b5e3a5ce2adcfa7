import { openAgeSimulators } from '#platform/age-verification/simulators/open.ts';
import { AgeAccounts, verifiersFor } from '#platform/age-verification/verifiers.ts';
import type { Clock } from '#platform/data/clock.ts';
import { outsideWithin } from '#platform/payments/outside.ts';
import type { AgeChecksOffer } from '#product/age-checks/server.ts';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { localUrlOf } from '../parts/banner.ts';
import { ConfigInvalid, type Config } from './config.ts';

/** Somebody waits on a page while a provider is asked. */
const OUTSIDE_LIMIT_MS = 10_000;
/** The operator that every installation has, with accounts of its own at providers. */
const DEFAULT_OPERATOR = 1;

const AgeChecksFile = AgeAccounts.extend({
  /** Whether members may prove their age by card, at the processor of BILLERS_FILE. */
  card: z.boolean().default(false),
  /** Whether members may ask somebody of the site. */
  support: z.boolean().default(false),
});

/** The ways to prove an age on the sites of an installation. */
export interface AgeChecks {
  readonly of: (operatorId: number) => AgeChecksOffer;
  readonly close: () => Promise<void>;
}

const NONE: AgeChecksOffer = { verifiers: [], card: false, support: false };

/** The content of a file only the site can read. Throws {@link ConfigInvalid}, without any of it. */
function accountsIn(file: string): z.infer<typeof AgeChecksFile> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The content of the file is secret: the message has its name alone.
  }
  const read = AgeChecksFile.safeParse(content);
  if (read.success) return read.data;
  const places = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole file'))];
  throw new ConfigInvalid([
    `AGE_CHECKS_FILE=${file} needs a JSON object with yoti, incode, card or support; `
    + `wrong or missing: ${places.join(', ')}`,
  ]);
}

const offering = (offer: AgeChecksOffer): AgeChecks['of'] => (operatorId) =>
  operatorId === DEFAULT_OPERATOR ? offer : NONE;

/**
 * The ways to prove an age: the accounts of AGE_CHECKS_FILE; in a demo without that file, simulators, started
 * by the process that answers calls. Production without a file offers none, and regions that demand a proof
 * stay closed.
 */
export async function openAgeChecks(
  config: Pick<Config, 'ageChecksFile' | 'mode' | 'port' | 'host' | 'publicUrl'>,
  clock: Clock,
  isWeb: boolean,
): Promise<AgeChecks> {
  const outside = outsideWithin(OUTSIDE_LIMIT_MS, clock);
  const close = async () => undefined;
  if (config.ageChecksFile !== null) {
    const { card, support, ...accounts } = accountsIn(config.ageChecksFile);
    return { of: offering({ verifiers: verifiersFor(accounts, outside), card, support }), close };
  }
  if (config.mode !== 'demo' || !isWeb) return { of: offering(NONE), close };
  const simulators = await openAgeSimulators({
    port: 0,
    clock,
    fetch,
    site: `${localUrlOf(config)}/verify-age`,
    anonymous: ['incode'],
  });
  const verifiers = verifiersFor(simulators.accounts, outside);
  return { of: offering({ verifiers, card: true, support: true }), close: () => simulators.close() };
}
