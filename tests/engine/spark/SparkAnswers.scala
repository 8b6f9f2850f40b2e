// Evaluates expressions over tables with Spark and writes its answers, one JSON object a line.
//   SparkAnswers CASES OUT
// CASES: {"tables": [{"name", "columns": [[name, type]], "rows": [[value]]}],
//         "expressions": [[table, text]]}
// OUT: the tables as they are, then {"table", "expression", "type", "values"} or, for what Spark
// refuses, {"table", "expression", "error"}. Values: integers, dates (days) and timestamps
// (microseconds) as JSON numbers, doubles and floats as the hexadecimal of their bits, decimals as
// text, binary as hexadecimal, arrays and structs as JSON arrays; {"fails"} where Spark throws.
import java.io.{BufferedWriter, File, FileWriter}
import java.math.{BigDecimal => JDecimal}
import java.time.{Instant, LocalDate, LocalDateTime, ZoneOffset}

import scala.collection.JavaConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.types._

object SparkAnswers {
  private val json = new ObjectMapper()
  private val make = JsonNodeFactory.instance

  private def instant(micros: Long): Instant =
    Instant.EPOCH.plusSeconds(Math.floorDiv(micros, 1000000L))
      .plusNanos(Math.floorMod(micros, 1000000L) * 1000L)

  private def read(node: JsonNode, kind: DataType): Any = if (node.isNull) null else kind match {
    case StringType => node.textValue
    case BooleanType => node.booleanValue
    case ByteType => node.intValue.toByte
    case ShortType => node.intValue.toShort
    case IntegerType => node.intValue
    case LongType => node.longValue
    case FloatType =>
      java.lang.Float.intBitsToFloat(java.lang.Integer.parseUnsignedInt(node.textValue, 16))
    case DoubleType =>
      java.lang.Double.longBitsToDouble(java.lang.Long.parseUnsignedLong(node.textValue, 16))
    case _: DecimalType => new JDecimal(node.textValue)
    case DateType => LocalDate.ofEpochDay(node.longValue)
    case TimestampType => instant(node.longValue)
    case TimestampNTZType => LocalDateTime.ofInstant(instant(node.longValue), ZoneOffset.UTC)
    case BinaryType =>
      node.textValue.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
    case ArrayType(element, _) => node.elements.asScala.map(read(_, element)).toSeq
    case StructType(fields) =>
      Row.fromSeq(fields.toSeq.zip(node.elements.asScala.toSeq).map {
        case (field, value) => read(value, field.dataType)
      })
  }

  // Wraps on the way for the smallest value, and back.
  private def micros(value: Instant): Long = value.getEpochSecond * 1000000L + value.getNano / 1000

  private def write(value: Any, kind: DataType): JsonNode = if (value == null) make.nullNode else {
    kind match {
      case StringType => make.textNode(value.toString)
      case BooleanType => make.booleanNode(value.asInstanceOf[Boolean])
      case ByteType | ShortType | IntegerType | LongType =>
        make.numberNode(value.asInstanceOf[Number].longValue)
      case FloatType => make.textNode(
        java.lang.Integer.toHexString(java.lang.Float.floatToIntBits(value.asInstanceOf[Float])))
      case DoubleType => make.textNode(
        java.lang.Long.toHexString(java.lang.Double.doubleToLongBits(value.asInstanceOf[Double])))
      case _: DecimalType => make.textNode(value.asInstanceOf[JDecimal].toPlainString)
      case DateType => make.numberNode(value.asInstanceOf[LocalDate].toEpochDay)
      case TimestampType => make.numberNode(micros(value.asInstanceOf[Instant]))
      case TimestampNTZType =>
        make.numberNode(micros(value.asInstanceOf[LocalDateTime].toInstant(ZoneOffset.UTC)))
      case BinaryType =>
        make.textNode(value.asInstanceOf[Array[Byte]].map("%02x".format(_)).mkString)
      case ArrayType(element, _) =>
        val array = make.arrayNode()
        value.asInstanceOf[scala.collection.Seq[Any]].foreach(v => array.add(write(v, element)))
        array
      case StructType(fields) =>
        val array = make.arrayNode()
        fields.zip(value.asInstanceOf[Row].toSeq).foreach {
          case (field, v) => array.add(write(v, field.dataType))
        }
        array
      case NullType => make.nullNode
    }
  }

  /** Stands for the value of a row for which Spark throws. */
  private case class Failed(reason: String)

  private def reason(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last.getClass.getSimpleName

  def main(args: Array[String]): Unit = {
    val cases = json.readTree(new File(args(0)))
    val out = new BufferedWriter(new FileWriter(args(1)))
    def line(node: JsonNode): Unit = { out.write(json.writeValueAsString(node)); out.write('\n') }

    val spark = SparkSession.builder().master("local[1]").appName("answers")
      .config("spark.ui.enabled", "false")
      .config("spark.network.timeout", "36000s")
      .config("spark.executor.heartbeatInterval", "3600s")
      .config("spark.sql.ansi.enabled", "false")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.legacy.timeParserPolicy", "CORRECTED")
      .config("spark.sql.datetime.java8API.enabled", "true")
      .getOrCreate()
    spark.sparkContext.setLogLevel("OFF")

    def frame(rows: Seq[Row], schema: StructType): DataFrame =
      // Rows of an RDD are evaluated by generated code, not folded away by the optimizer.
      spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), schema)

    val tables = cases.get("tables").elements.asScala.map { table =>
      line(table)
      val schema = StructType(table.get("columns").elements.asScala.map { column =>
        StructField(column.get(0).textValue, DataType.fromDDL(column.get(1).textValue))
      }.toSeq)
      val rows = table.get("rows").elements.asScala.map { row =>
        Row.fromSeq(schema.fields.toSeq.zip(row.elements.asScala.toSeq).map {
          case (field, value) => read(value, field.dataType)
        })
      }.toSeq
      table.get("name").textValue -> (rows, schema)
    }.toMap

    def answer(table: String, text: String, kind: Either[String, (DataType, Seq[Any])]): Unit = {
      val node = make.objectNode()
      node.put("table", table)
      node.put("expression", text)
      kind match {
        case Left(error) => node.put("error", error)
        case Right((dataType, values)) =>
          node.put("type", dataType.catalogString)
          val array: ArrayNode = node.putArray("values")
          values.foreach {
            case Failed(error) => array.addObject().put("fails", error)
            case v => array.add(write(v, dataType))
          }
      }
      line(node)
    }

    // Halves the rows until those for which Spark throws stand alone.
    def values(text: String, rows: Seq[Row], schema: StructType): Seq[Any] =
      try frame(rows, schema).selectExpr(text).collect().map(_.get(0)).toSeq
      catch {
        case error: Throwable if rows.size == 1 => Seq(Failed(reason(error)))
        case _: Throwable =>
          val (left, right) = rows.splitAt(rows.size / 2)
          values(text, left, schema) ++ values(text, right, schema)
      }

    def run(table: String, texts: Seq[String]): Unit = {
      val (rows, schema) = tables(table)
      try {
        val selected = frame(rows, schema)
          .selectExpr(texts.zipWithIndex.map { case (t, i) => s"$t AS c$i" }: _*)
        val result = selected.collect()
        texts.indices.foreach(i => answer(table, texts(i),
          Right((selected.schema(i).dataType, result.map(_.get(i)).toSeq))))
      } catch {
        case _: Throwable if texts.size > 1 => texts.foreach(t => run(table, Seq(t)))
        case error: Throwable =>
          try {
            val kind = frame(rows, schema).selectExpr(texts.head).schema.head.dataType
            // What fails for each of a few rows fails for all.
            val few = rows.indices.by(math.max(1, rows.size / 5)).map(rows(_))
            if (values(texts.head, few, schema).forall(_.isInstanceOf[Failed])) throw error
            answer(table, texts.head, Right((kind, values(texts.head, rows, schema))))
          } catch { case _: Throwable => answer(table, texts.head, Left(reason(error))) }
      }
    }

    cases.get("expressions").elements.asScala.toSeq
      .map(pair => pair.get(0).textValue -> pair.get(1).textValue)
      .groupBy(_._1).toSeq.sortBy(_._1).foreach { case (table, pairs) =>
        pairs.map(_._2).grouped(20).foreach(run(table, _))
      }
    out.close()
    spark.stop()
  }
}
