// Its cluster workers have to be CommonJS.
const { ClusterWorker } = require('poolifier');

module.exports = new ClusterWorker((/** @type {unknown} */ payload) => payload);
