// Package wire sees gramme with the eyes of the AWS SDK for Go v2.
//
// The server's address comes in GRAMME_ENDPOINT. It is one session: each test builds on the one before.
package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cloudwatchtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

var (
	ctx    = context.Background()
	table  = aws.String("music")
	client = newClient()
)

// As programs do it: the default configuration finds the authority of a server with TLS in AWS_CA_BUNDLE.
func newSettings() aws.Config {
	settings, err := config.LoadDefaultConfig(ctx, config.WithRegion("us-east-1"), config.WithCredentialsProvider(
		aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Getenv("GRAMME_KEY_ID"), SecretAccessKey: os.Getenv("GRAMME_SECRET")}, nil
		})))
	if err != nil {
		panic(err)
	}
	return settings
}

func newClient() *dynamodb.Client {
	return dynamodb.NewFromConfig(newSettings(), func(options *dynamodb.Options) {
		options.EndpointResolver = dynamodb.EndpointResolverFromURL(os.Getenv("GRAMME_ENDPOINT"))
		options.Retryer = aws.NopRetryer{}
	})
}

type attributes = map[string]types.AttributeValue

func str(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
func num(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

func key(artist, year string) attributes {
	return attributes{"artist": str(artist), "year": num(year)}
}

// must stops a test that cannot go on.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, got, want interface{}) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}

func TestCreateTable(t *testing.T) {
	out, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   table,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("artist"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("year"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("artist"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("year"), KeyType: types.KeyTypeRange},
		},
	})
	must(t, err)
	equal(t, out.TableDescription.TableStatus, types.TableStatusCreating)
	waiter := dynamodb.NewTableExistsWaiter(client)
	must(t, waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: table}, 10*time.Second))
	list, err := client.ListTables(ctx, &dynamodb.ListTablesInput{})
	must(t, err)
	equal(t, list.TableNames, []string{"music"})
}

func TestAllTypes(t *testing.T) {
	item := key("Björk", "1995")
	for name, value := range (attributes{
		"s": str(""), "n": num("-1.5"), "b": &types.AttributeValueMemberB{Value: []byte{0, 255}},
		"t": &types.AttributeValueMemberBOOL{Value: false}, "z": &types.AttributeValueMemberNULL{Value: true},
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "é"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"l":  &types.AttributeValueMemberL{Value: []types.AttributeValue{str("x"), num("1")}},
		"m":  &types.AttributeValueMemberM{Value: attributes{"k": &types.AttributeValueMemberM{Value: attributes{}}}},
	}) {
		item[name] = value
	}
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item})
	must(t, err)
	got, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("Björk", "1995")})
	must(t, err)
	equal(t, got.Item, item)
	missing, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("nobody", "0")})
	must(t, err)
	equal(t, missing.Item, attributes(nil))
}

func TestUpdate(t *testing.T) {
	out, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 table,
		Key:                       key("Björk", "1995"),
		UpdateExpression:          aws.String("SET plays = if_not_exists(plays, :zero) + :one REMOVE s"),
		ExpressionAttributeValues: attributes{":zero": num("0"), ":one": num("1")},
		ReturnValues:              types.ReturnValueUpdatedNew,
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	must(t, err)
	equal(t, out.Attributes, attributes{"plays": num("1")})
	equal(t, *out.ConsumedCapacity.CapacityUnits, 1.0)
}

func TestErrors(t *testing.T) {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:           table,
		Item:                key("Björk", "1995"),
		ConditionExpression: aws.String("attribute_not_exists(artist)"),
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	equal(t, failed.ErrorMessage(), "The conditional request failed")
	_, err = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("nothing"), Key: key("a", "1")})
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	_, err = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: attributes{"artist": str("a")}})
	var invalid smithy.APIError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v", err)
	}
	equal(t, invalid.ErrorCode(), "ValidationException")
	equal(t, invalid.ErrorMessage(), "The provided key element does not match the schema")
}

func TestBatchAndPages(t *testing.T) {
	var requests []types.WriteRequest
	for year := 1880; year < 1905; year++ {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: key("Satie", fmt.Sprint(year))}})
	}
	written, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"music": requests}})
	must(t, err)
	equal(t, len(written.UnprocessedItems), 0)
	pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName:                 table,
		KeyConditionExpression:    aws.String("artist = :a AND #y >= :y"),
		ExpressionAttributeNames:  map[string]string{"#y": "year"},
		ExpressionAttributeValues: attributes{":a": str("Satie"), ":y": num("1890")},
		Limit:                     aws.Int32(4),
	})
	var years []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		must(t, err)
		for _, item := range page.Items {
			years = append(years, item["year"].(*types.AttributeValueMemberN).Value)
		}
	}
	equal(t, len(years), 15)
	equal(t, [2]string{years[0], years[14]}, [2]string{"1890", "1904"})
	read, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"music": {Keys: []attributes{key("Satie", "1880"), key("Satie", "1")}}}})
	must(t, err)
	equal(t, read.Responses["music"], []attributes{key("Satie", "1880")})
}

func TestParallelScan(t *testing.T) {
	var lock sync.Mutex
	var group sync.WaitGroup
	count := 0
	for segment := int32(0); segment < 4; segment++ {
		group.Add(1)
		go func(segment int32) {
			defer group.Done()
			pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
				TableName: table, Segment: aws.Int32(segment), TotalSegments: aws.Int32(4), Limit: aws.Int32(3)})
			for pages.HasMorePages() {
				page, err := pages.NextPage(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				lock.Lock()
				count += int(page.Count)
				lock.Unlock()
			}
		}(segment)
	}
	group.Wait()
	equal(t, count, 26)
}

func TestDelete(t *testing.T) {
	out, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: table, Key: key("Satie", "1880"), ReturnValues: types.ReturnValueAllOld})
	must(t, err)
	equal(t, out.Attributes, key("Satie", "1880"))
	_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: table})
	must(t, err)
	waiter := dynamodb.NewTableNotExistsWaiter(client)
	must(t, waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: table}, 10*time.Second))
}

// What this version speaks is the query protocol; newer ones speak CBOR, which test_cloudwatch.py sends.
func TestMetrics(t *testing.T) {
	metrics := cloudwatch.NewFromConfig(newSettings(), func(options *cloudwatch.Options) {
		options.EndpointResolver = cloudwatch.EndpointResolverFromURL(os.Getenv("GRAMME_ENDPOINT"))
		options.Retryer = aws.NopRetryer{}
	})
	at := time.Now().UTC().Truncate(time.Minute)
	_, err := metrics.PutMetricData(ctx, &cloudwatch.PutMetricDataInput{Namespace: aws.String("Go"), MetricData: []cloudwatchtypes.MetricDatum{
		{MetricName: aws.String("m"), Values: []float64{1, 2}, Counts: []float64{2, 3}, Unit: cloudwatchtypes.StandardUnitBytes, Timestamp: &at},
	}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := metrics.GetMetricStatistics(ctx, &cloudwatch.GetMetricStatisticsInput{
		Namespace: aws.String("Go"), MetricName: aws.String("m"), StartTime: &at, EndTime: aws.Time(at.Add(time.Minute)),
		Period: aws.Int32(60), Statistics: []cloudwatchtypes.Statistic{cloudwatchtypes.StatisticSum, cloudwatchtypes.StatisticMaximum},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Datapoints) != 1 || *read.Datapoints[0].Sum != 8 || *read.Datapoints[0].Maximum != 2 || !read.Datapoints[0].Timestamp.Equal(at) {
		t.Errorf("%+v", read.Datapoints)
	}
	listed, err := metrics.ListMetrics(ctx, &cloudwatch.ListMetricsInput{Namespace: aws.String("Go")})
	if err != nil || len(listed.Metrics) != 1 || *listed.Metrics[0].MetricName != "m" {
		t.Errorf("%v %+v", err, listed)
	}
	_, err = metrics.GetMetricData(ctx, &cloudwatch.GetMetricDataInput{StartTime: &at, EndTime: &at, MetricDataQueries: []cloudwatchtypes.MetricDataQuery{
		{Id: aws.String("e"), Expression: aws.String("1")}}})
	var failure smithy.APIError
	if !errors.As(err, &failure) || failure.ErrorCode() != "InvalidParameterValue" {
		t.Errorf("%v", err)
	}
}

func TestAlarms(t *testing.T) {
	alarms := cloudwatch.NewFromConfig(newSettings(), func(options *cloudwatch.Options) {
		options.EndpointResolver = cloudwatch.EndpointResolverFromURL(os.Getenv("GRAMME_ENDPOINT"))
		options.Retryer = aws.NopRetryer{}
	})
	_, err := alarms.PutMetricAlarm(ctx, &cloudwatch.PutMetricAlarmInput{
		AlarmName: aws.String("go"), Namespace: aws.String("AWS/DynamoDB"), MetricName: aws.String("UserErrors"),
		Statistic: cloudwatchtypes.StatisticSum, Period: aws.Int32(60), EvaluationPeriods: aws.Int32(5), Threshold: aws.Float64(2.5),
		ComparisonOperator: cloudwatchtypes.ComparisonOperatorGreaterThanThreshold, TreatMissingData: aws.String("notBreaching"),
	})
	must(t, err)
	_, err = alarms.SetAlarmState(ctx, &cloudwatch.SetAlarmStateInput{
		AlarmName: aws.String("go"), StateValue: cloudwatchtypes.StateValueAlarm, StateReason: aws.String("by hand")})
	must(t, err)
	read, err := alarms.DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{AlarmNames: []string{"go"}})
	must(t, err)
	if len(read.MetricAlarms) != 1 || *read.MetricAlarms[0].Threshold != 2.5 || read.MetricAlarms[0].StateValue != cloudwatchtypes.StateValueAlarm {
		t.Errorf("%+v", read.MetricAlarms)
	}
	_, err = alarms.SetAlarmState(ctx, &cloudwatch.SetAlarmStateInput{
		AlarmName: aws.String("none"), StateValue: cloudwatchtypes.StateValueOk, StateReason: aws.String("x")})
	var missing *cloudwatchtypes.ResourceNotFound
	if !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}
