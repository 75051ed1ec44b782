/** Version of the product, as in the manifests; a test keeps them equal. */
export const VERSION = '0.1.0';
