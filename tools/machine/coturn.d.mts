/**
 * A TURN server and what makes its certificate: each one on PATH, else one installed with apt-get as root;
 * throws with what to type when there is none.
 */
export declare function requireTurnServer(): { readonly turnserver: string; readonly openssl: string };
