import { DEMO_REGION } from '../rules.ts';
import { seemingPlace } from './policy-table.ts';

/**
 * Sockets of visitors whose place is unknown, or hidden: every policy may be the one that decides for them.
 */
const ANYWHERE = '?';
/** Sockets in a country whose state is unknown: each of its states may decide. */
const anyStateOf = (country: string): string => `${country}-?`;

const isPlace = (region: string): boolean => region === DEMO_REGION || /^[A-Z]{2}(?:-|$)/u.test(region);

/** The audiences that a visitor from a region belongs to: all whose policies may decide for them. */
export function audiencesOf(region: string): readonly string[] {
  const place = seemingPlace(region);
  const hidden = place === region ? [] : [ANYWHERE];
  if (!isPlace(place)) return [ANYWHERE];
  const [country = place, state] = place.split('-');
  return ['*', country, state === undefined ? anyStateOf(country) : place, ...hidden];
}

/** The audiences for which something may have changed when policies of some places began or ended. */
export function audiencesIn(regions: readonly string[]): readonly string[] {
  const audiences = regions.flatMap((region) => {
    const [country = region, state] = region.split('-');
    return state === undefined ? [region] : [region, anyStateOf(country)];
  });
  return [...new Set([...audiences, ANYWHERE])];
}

/** The topic of an audience's lobbies. */
export const lobbyTopic = (audience: string): string => `entry:${audience}`;
/** The topic of an audience's sockets in rooms. */
export const roomsTopic = (audience: string): string => `entry-rooms:${audience}`;
