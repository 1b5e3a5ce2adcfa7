import { describe, expect, it } from 'vitest';
import { posesAsStaff } from './rules/life/posing.ts';

describe('the name of a place, a team or a service of staff', () => {
  it.each([
    'Help Center',
    'Anna (Help Centre)',
    'HelpCenter',
    'my_helpcenter24',
    'Payment Service',
    'Payments Services',
    'Billing Service Anna',
    'Service Desk',
    'Hilfe-Team',
    'Hilfe Center Anna',
    'Zahlungs-Service',
    'Centre d’aide',
    'Service de paiement',
    'Centro de ayuda',
    'Servicio de Pagos',
    'Servizio pagamenti',
    'Hulpteam',
    'Help Centrum',
    'Betaal Service',
  ])('%s is refused', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });

  it.each([
    'Center Anna',
    'Hilfe Anna',
    'Hilde Center',
    'Self Service Anna',
    'Help Me Center',
    'Paymentina',
    'Anna Payment',
    'Kelly at your service',
    'Centro Luna',
  ])('%s is fine', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });
});
