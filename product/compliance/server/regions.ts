import { networks } from '#platform/http/address.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import { DEMO_REGION, hidesPlace, normalizeRegion, UNKNOWN_REGION } from '../rules.ts';
import { seemingPlace, throughVpn } from '../rules/policy-table.ts';
import type { ComplianceSettings } from './dependencies.ts';

const TEST_REGION_HEADER = 'x-candela-test-region';

/**
 * Finds the region of a request; see {@link ComplianceSettings}. The header of a trusted proxy decides,
 * then the file of places; in demo mode loopback is a region of its own.
 */
export function regionResolver(settings: ComplianceSettings): (request: RequestFacts) => string {
  const isLoopback = networks(['127.0.0.0/8', '::1']);
  const isTrusted = networks(settings.trustedProxies ?? []);
  const trustsTests = settings.demo || settings.testRegions === true;
  const header = (request: RequestFacts, name: string): string | null => {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  // The demo region is no place, so neither a proxy nor a file may set it.
  const placeIn = (value: string | null): string => {
    const region = normalizeRegion(value);
    return region === DEMO_REGION ? UNKNOWN_REGION : region;
  };
  const placeOf = (request: RequestFacts): string => {
    if (settings.geoHeader && isTrusted(request.peer ?? '')) {
      const said = header(request, settings.geoHeader);
      const region = placeIn(said);
      // A proxy that says "an anonymous network" knows better than a file that names the country it is in.
      if (region !== UNKNOWN_REGION) return region;
      if (hidesPlace(said)) return throughVpn(UNKNOWN_REGION);
    }
    const region = placeIn(settings.places?.of(request.address).region ?? null);
    if (region !== UNKNOWN_REGION) return region;
    return settings.demo && isLoopback(request.address) ? DEMO_REGION : UNKNOWN_REGION;
  };
  return (request) => {
    const claimed = trustsTests ? header(request, TEST_REGION_HEADER) : null;
    if (claimed !== null) {
      const region = normalizeRegion(seemingPlace(claimed));
      return seemingPlace(claimed) === claimed ? region : throughVpn(region);
    }
    const place = placeOf(request);
    const isHidden = seemingPlace(place) !== place;
    return !isHidden && settings.places?.of(request.address).isAnonymous === true ? throughVpn(place) : place;
  };
}
