-- The questions of TPC-H, 1 to 22, in words of our own and with the parameters of its validation run.
-- A line of dashes and a number begins each.
-- 1
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS quantity, sum(l_extendedprice) AS base,
  sum(l_extendedprice * (1 - l_discount)) AS discounted,
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charge, avg(l_quantity) AS mean_quantity,
  avg(l_extendedprice) AS mean_price, avg(l_discount) AS mean_discount, count(*) AS n
FROM lineitem WHERE l_shipdate <= DATE '1998-09-02' GROUP BY ALL ORDER BY ALL
-- 2
WITH european AS (
  SELECT * FROM partsupp JOIN supplier ON s_suppkey = ps_suppkey
    JOIN nation ON n_nationkey = s_nationkey JOIN region ON r_regionkey = n_regionkey
  WHERE r_name = 'EUROPE')
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM part JOIN european ON p_partkey = ps_partkey
WHERE p_size = 15 AND p_type LIKE '%BRASS'
  AND ps_supplycost = (SELECT min(e.ps_supplycost) FROM european e WHERE e.ps_partkey = p_partkey)
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100
-- 3
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
GROUP BY ALL ORDER BY revenue DESC, o_orderdate LIMIT 10
-- 4
SELECT o_orderpriority, count(*) AS n FROM orders
WHERE o_orderdate >= '1993-07-01' AND o_orderdate < '1993-10-01'
  AND EXISTS (FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY ALL ORDER BY ALL
-- 5
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
  JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey
  JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
WHERE r_name = 'ASIA' AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01'
GROUP BY ALL ORDER BY revenue DESC
-- 6
SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'
  AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24
-- 7
SELECT supplier_nation, customer_nation, year, sum(volume) AS revenue FROM (
  SELECT a.n_name AS supplier_nation, b.n_name AS customer_nation, year(l_shipdate) AS year,
    l_extendedprice * (1 - l_discount) AS volume
  FROM supplier JOIN lineitem ON s_suppkey = l_suppkey JOIN orders ON o_orderkey = l_orderkey
    JOIN customer ON c_custkey = o_custkey JOIN nation a ON s_nationkey = a.n_nationkey
    JOIN nation b ON c_nationkey = b.n_nationkey
  WHERE l_shipdate BETWEEN '1995-01-01' AND '1996-12-31'
    AND (a.n_name, b.n_name) IN (('FRANCE', 'GERMANY'), ('GERMANY', 'FRANCE')))
GROUP BY ALL ORDER BY ALL
-- 8
SELECT year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS share FROM (
  SELECT year(o_orderdate) AS year, l_extendedprice * (1 - l_discount) AS volume, b.n_name AS nation
  FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
    JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
    JOIN nation a ON c_nationkey = a.n_nationkey JOIN region ON a.n_regionkey = r_regionkey
    JOIN nation b ON s_nationkey = b.n_nationkey
  WHERE r_name = 'AMERICA' AND o_orderdate BETWEEN '1995-01-01' AND '1996-12-31'
    AND p_type = 'ECONOMY ANODIZED STEEL')
GROUP BY ALL ORDER BY ALL
-- 9
SELECT n_name, year(o_orderdate) AS year,
  sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) AS profit
FROM part JOIN lineitem ON p_partkey = l_partkey JOIN supplier ON s_suppkey = l_suppkey
  JOIN partsupp ON ps_suppkey = l_suppkey AND ps_partkey = l_partkey
  JOIN orders ON o_orderkey = l_orderkey JOIN nation ON s_nationkey = n_nationkey
WHERE p_name LIKE '%green%' GROUP BY ALL ORDER BY n_name, year DESC
-- 10
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name,
  c_address, c_phone, c_comment
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
  JOIN nation ON c_nationkey = n_nationkey
WHERE o_orderdate >= '1993-10-01' AND o_orderdate < '1994-01-01' AND l_returnflag = 'R'
GROUP BY ALL ORDER BY revenue DESC, c_custkey LIMIT 20
-- 11
WITH german AS (
  SELECT ps_partkey, ps_supplycost * ps_availqty AS worth
  FROM partsupp JOIN supplier ON ps_suppkey = s_suppkey JOIN nation ON s_nationkey = n_nationkey
  WHERE n_name = 'GERMANY')
SELECT ps_partkey, sum(worth) AS total FROM german GROUP BY ALL
HAVING total > (SELECT sum(worth) * 0.001 FROM german) ORDER BY total DESC, ps_partkey
-- 12
SELECT l_shipmode, count(*) FILTER (o_orderpriority IN ('1-URGENT', '2-HIGH')) AS high,
  count(*) FILTER (o_orderpriority NOT IN ('1-URGENT', '2-HIGH')) AS low
FROM orders JOIN lineitem ON o_orderkey = l_orderkey
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
  AND l_receiptdate >= '1994-01-01' AND l_receiptdate < '1995-01-01'
GROUP BY ALL ORDER BY ALL
-- 13
SELECT n, count(*) AS customers FROM (
  SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders
    ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey)
GROUP BY n ORDER BY customers DESC, n DESC
-- 14
SELECT 100 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
  / sum(l_extendedprice * (1 - l_discount)) AS promoted
FROM lineitem JOIN part ON l_partkey = p_partkey
WHERE l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'
-- 15
WITH revenue AS (
  SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) AS total FROM lineitem
  WHERE l_shipdate >= '1996-01-01' AND l_shipdate < '1996-04-01' GROUP BY ALL)
SELECT s_suppkey, s_name, s_address, s_phone, total FROM supplier JOIN revenue ON s_suppkey = l_suppkey
WHERE total = (SELECT max(total) FROM revenue) ORDER BY s_suppkey
-- 16
SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS suppliers
FROM partsupp JOIN part ON p_partkey = ps_partkey
WHERE p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%'
  AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%')
GROUP BY ALL ORDER BY suppliers DESC, p_brand, p_type, p_size
-- 17
SELECT sum(l_extendedprice) / 7.0 AS yearly FROM lineitem JOIN part ON p_partkey = l_partkey
WHERE p_brand = 'Brand#23' AND p_container = 'MED BOX'
  AND l_quantity < (SELECT 0.2 * avg(i.l_quantity) FROM lineitem i WHERE i.l_partkey = p_partkey)
-- 18
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON o_orderkey = l_orderkey
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY 1 HAVING sum(l_quantity) > 300)
GROUP BY ALL ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100
-- 19
SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem JOIN part ON p_partkey = l_partkey
WHERE l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON' AND p_size >= 1 AND (
  (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
    AND l_quantity BETWEEN 1 AND 11 AND p_size <= 5)
  OR (p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
    AND l_quantity BETWEEN 10 AND 20 AND p_size <= 10)
  OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
    AND l_quantity BETWEEN 20 AND 30 AND p_size <= 15))
-- 20
SELECT s_name, s_address FROM supplier JOIN nation ON s_nationkey = n_nationkey
WHERE n_name = 'CANADA' AND s_suppkey IN (
  SELECT ps_suppkey FROM partsupp
  WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
    AND ps_availqty > (SELECT 0.5 * sum(l_quantity) FROM lineitem
      WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
        AND l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'))
ORDER BY s_name
-- 21
SELECT s_name, count(*) AS waits
FROM supplier JOIN lineitem a ON s_suppkey = a.l_suppkey JOIN orders ON o_orderkey = a.l_orderkey
  JOIN nation ON s_nationkey = n_nationkey
WHERE o_orderstatus = 'F' AND a.l_receiptdate > a.l_commitdate AND n_name = 'SAUDI ARABIA'
  AND EXISTS (FROM lineitem b WHERE b.l_orderkey = a.l_orderkey AND b.l_suppkey <> a.l_suppkey)
  AND NOT EXISTS (FROM lineitem b WHERE b.l_orderkey = a.l_orderkey AND b.l_suppkey <> a.l_suppkey
    AND b.l_receiptdate > b.l_commitdate)
GROUP BY ALL ORDER BY waits DESC, s_name LIMIT 100
-- 22
WITH chosen AS (
  SELECT left(c_phone, 2) AS code, c_acctbal, c_custkey FROM customer
  WHERE left(c_phone, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
SELECT code, count(*) AS n, sum(c_acctbal) AS balance FROM chosen
WHERE c_acctbal > (SELECT avg(c_acctbal) FROM chosen WHERE c_acctbal > 0)
  AND NOT EXISTS (FROM orders WHERE o_custkey = c_custkey)
GROUP BY ALL ORDER BY ALL
