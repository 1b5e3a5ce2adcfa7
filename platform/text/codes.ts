/** A country: ISO 3166-1 alpha-2. */
export const COUNTRY_CODE = /^[A-Z]{2}$/;
/** A country, or one of its subdivisions: ISO 3166-2. Captures country and subdivision. */
export const REGION_CODE = /^([A-Z]{2})(?:-([A-Z0-9]{1,3}))?$/;
/** A currency: ISO 4217. */
export const CURRENCY_CODE = /^[A-Z]{3}$/;
