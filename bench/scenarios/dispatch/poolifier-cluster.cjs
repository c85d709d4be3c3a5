// poolifier requires CommonJS for cluster workers.
const { ClusterWorker } = require('poolifier');

module.exports = new ClusterWorker((/** @type {unknown} */ payload) => payload);
